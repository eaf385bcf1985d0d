/** Why a run is partial, and why its load is invalid. */

import type { Failure, Failures, LoadReport } from './load-report.d.ts';
import type { Statement } from './statement.d.ts';

/** Why a run is partial. */
export interface PartialTable {
  /** loadflame itself was killed, or could not write */
  'session-killed': Record<string, never>;
  'load-running': Record<string, never>;
  'load-killed': Record<string, never>;
  'load-interrupted': Record<string, never>;
  'load-failed': { engine: string; signal: string | null; exitCode: number | null };
  'segments-lost': { segments: number };
  /** in pods: their names */
  'workers-ended': { pids: (number | string)[] };
  /** the recorder's own message */
  event: { message: string };
}

export type PartialReason = Statement<PartialTable>;

/** Why the figures of a load test cannot be used at all. */
export interface InvalidTable {
  'server-ended': NonNullable<LoadReport['serverEnd']>;
  'nothing-sent': { created: number; failed: number; error: string | null };
  'no-response': { requests: number; error: string | null };
  'most-users-failed': { created: number; failed: number };
  /** scenarios that (almost) no user completed; `users`: of all scenarios */
  'scenario-failed': { scenarios: LoadReport['users']['byScenario']; users: Failures['users'] };
  /** endpoints that (almost) never responded successfully, the most frequent first */
  'endpoint-failed': {
    endpoints: { name: string; errors: number; requests: number; failure: Failure | null }[];
  };
  /** `failure`: the most frequent one */
  'most-failed': { requests: number; errorRate: number; failure: Failure | null };
}

export type InvalidReason = Statement<InvalidTable>;
