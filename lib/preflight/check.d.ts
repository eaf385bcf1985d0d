/** The checks of `doctor`: what one gets, and what it says. */
import type { Config } from '../config/read-config.js';
import type { Redactor } from '../files/redaction.js';
import type { Cluster } from '../record/cluster/connect.js';
import type { FoundPods } from '../record/cluster/find-pods.js';

export interface CheckResult {
  level: 'ok' | 'warn' | 'bad' | 'skip';
  /** what was found, with its value */
  text: string;
  /** what to do about it */
  hint?: string;
}

export interface Check {
  id: string;
  title: string;
  /** may throw a LoadflameError, which becomes a bad result with the error's hint */
  check: (context: CheckContext) => CheckResult | Promise<CheckResult>;
}

/** What one check learns, the next may use. */
export interface CheckContext {
  config: Config;
  /** TARGET, or a script's own, once one was read */
  target: string | null;
  /** certificates of the target are not checked */
  trustsAnyone: boolean;
  /** an access token, once one was obtained */
  token: string | null;
  /** a script was found that requests what the target has */
  hasScript: boolean;
  /** first process of the server, once it was found */
  serverPid: number | null;
  /** removes secrets from messages */
  redactor: Redactor;
  /** once its pods were found */
  cluster: { api: Cluster; found: FoundPods } | null;
}
