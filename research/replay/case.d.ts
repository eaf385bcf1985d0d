/**
 * The format of a replayed fix: `known/<id>/case.json`, and `apart/<id>/case.json`.
 *
 * `app.py` beside it has 30 to 80 lines, and all its code is our own. `FIXED=1` in the environment switches to the fix.
 * Each line at fault ends in `# CAUSE`: these are lines that the fix changes and that run in a request. The score reads
 * line numbers from these marks. Both variants give status 200 to each request of the case.
 *
 * `other` is a service that the app calls, such as an identity provider. It runs in a process of its own, and its CPU time
 * does not count. In a case, `{key}` stands for a key that is made for each run, and `{token}` for a token that it signed.
 *
 * The app gets these variables:
 *
 * - `FIXED`: `1` or not set
 * - `OTHER`: address of `other`, such as `http://127.0.0.1:4711`
 * - `FOLDER`: an empty folder that is deleted afterwards, for SQLite files and the like
 * - `DATABASE_URL`: `postgresql://…` of an empty database, if `needs` is `postgres`
 * - `REDIS_URL`: an empty Redis database, if `needs` is `redis`
 *
 * Packages are in `requirements.in` beside this file: add those that an app needs.
 *
 * The score has four parts:
 *
 * 1. cause: one of the first two findings matches `names`
 * 2. line: that finding contains `app.py:N` of a marked line
 * 3. range: the predicted range holds the measured change, or nothing is predicted
 * 4. silent: after the fix, no finding matches `names`
 *
 * The truth is measured without a profiler and without the companion, before and after the fix.
 */
export interface Case {
  /** repository and pull request, such as `feast#6683` */
  source: string;
  /** what the maintainers changed, and why, in one sentence */
  cause: string;
  /** what they say it brought */
  claimed?: string;
  /** file of the fix in their repository */
  place?: string;
  /**
   * `figure` before and after, CPU time in ms per request: medians of three rounds of 400 requests, variants interleaved,
   * on a machine with two cores that had other work
   */
  measured?: [before: number, after: number];
  /** versions that `measured` was measured with */
  packages?: string[];
  /**
   * regular expressions that ignore case. A finding names the cause if one of them matches its title and detail (white
   * space collapsed). The name of a function is no cause: "business logic in `get_signing_key`" must not match, and
   * "`PyJWKClient` is built for each request" must, whatever its exact words.
   */
  names: string[];
  /**
   * arguments of `python -m` without address and port, such as
   * `["gunicorn", "-w", "1", "-k", "gthread", "--threads", "4", "app:app"]` or `["uvicorn", "app:app"]`; one worker. The
   * working folder is that of the case.
   */
  server: string[];
  /** requested alternately; a string is the path of a GET */
  requests: (string | AskedRequest)[];
  /** of a closed loop; 4 if absent */
  users?: number;
  /** what the fix improves: CPU time per request (if absent), requests per second, or 99th percentile of latency */
  figure?: 'cpu' | 'throughput' | 'p99';
  needs?: 'postgres' | 'redis';
  /** responses of the service that the app calls, by path; `*`: any other; `delay`: seconds */
  other?: Record<string, { json: unknown; delay?: number }>;
}

export interface AskedRequest {
  method?: string;
  /** path and query */
  url: string;
  headers?: Record<string, string>;
  /** body */
  json?: unknown;
}
