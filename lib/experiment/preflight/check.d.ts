/** The checks of `doctor`: their input and results. */
import type { Config } from '../../base/config/read-config.js';
import type { Redactor } from '../../base/files/redaction.js';
import type { Cluster } from '../../base/kubernetes/connect.js';
import type { FoundPods } from '../../base/kubernetes/find-pods.js';

export interface CheckResult {
  level: 'ok' | 'warn' | 'bad' | 'skip';
  /** the result, with its value */
  text: string;
  /** what to do about it */
  hint?: string;
}

export interface Check {
  id: string;
  title: string;
  /** may throw a LoadflameError, which becomes a failed result with the error's hint */
  check: (context: CheckContext) => CheckResult | Promise<CheckResult>;
}

/** Shared by all checks, so that a check can use results of earlier ones. */
export interface CheckContext {
  config: Config;
  /** TARGET, or the target of a script once one was read */
  target: string | null;
  /** target certificates are not verified */
  trustsAnyone: boolean;
  /** an access token, once one was obtained */
  token: string | null;
  /** a script was found whose requests the target supports */
  hasScript: boolean;
  /** first process of the server, once found */
  serverPid: number | null;
  /** removes secrets from messages */
  redactor: Redactor;
  /** set once its pods were found */
  cluster: { api: Cluster; found: FoundPods } | null;
}
