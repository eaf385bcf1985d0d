/**
 * Where our engine is not to do what Artillery does: script → anchors of decisions, in docs/engine.md or
 * SMALL_DECISIONS.
 * What it does instead is in
 * test/fixtures/conformance/differences.json (`node scripts/run.js scripts/conformance.js --accept <script>` writes it,
 * people check it).
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';

const FILE = path.join(import.meta.dirname, '../fixtures/conformance/differences.json');

/** What few scripts notice: anchor → of what, what Artillery 2.0.34 does, what loadflame does. @type {Record<string, [of: string, artillery: string, loadflame: string]>} */
export const SMALL_DECISIONS = {
  'client-certificate-that-is-missing': [
    'missing client certificate',
    '`ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED`',
    'that or `ECONNRESET`',
  ],
  'closed-loop': [
    '`users`',
    'not available',
    'available; a user that fails at once three times starts every 100 ms at most',
  ],
  'connection-times': ['`http.dns` of numeric addresses', 'counts 0', 'only real look-ups'],
  'continue-not-asked': ['unrequested 100', 'ignored', '`ECONNRESET`'],
  'cookie-errors': ['refused cookies', 'counted once', 'each one'],
  'defaults-per-user': ['templates in `http.defaults`', 'filled once', 'per user'],
  'downloaded-bytes': ['bytes of redirects and compressed responses', '0', 'as on the wire'],
  'endpoints-of-hops': [
    'endpoint of a redirect hop',
    'the first address',
    "its own, or the request's `name`",
  ],
  'endpoints-plugin': ['`metrics-by-endpoint`', 'always loaded', 'where asked for'],
  'expression-that-is-none': ['invalid `regexp` in a capture', 'ends the worker', 'ends the user'],
  'first-cookie-of-a-redirect': [
    'first cookie, set by a redirect',
    'not sent to the next hop',
    'sent',
  ],
  'headers-of-the-client': [
    '`transfer-encoding`, `keep-alive`, `upgrade`, `expect` of a script',
    'sent',
    'left out; a wrong `content-length` is replaced',
  ],
  'lists-in-a-flow': ['lists in a flow (YAML anchors)', 'refused', 'accepted'],
  'loops-that-wait-for-nothing': [
    'loops without waiting',
    'block the worker',
    'yield after 100 rounds',
  ],
  ramps: ['ramps', 'rounded steps of 1 s per worker', 'integral of the rate'],
  'redirect-without-location': [
    'redirect without `Location`, 304',
    'waits forever',
    'takes it as the response',
  ],
  'scenario-file': ['`{{ $scenarioFile }}`', 'filled after the hooks', 'before'],
  'shares-of-workers': [
    'workers',
    '`arrivalCount` on the first only; `maxVusers` may be 0',
    'exact shares',
  ],
  'socketio-acknowledge-shape': [
    'acknowledgement or event of another shape',
    'kills the worker',
    '`data is not valid`',
  ],
  'socketio-cookies': ["the user's cookies at the handshake", 'not sent', 'sent and updated'],
  'socketio-error-names': [
    'error names, default namespace',
    '`errors.Error: <message>`',
    '`errors.<message>`',
  ],
  'socketio-errors-of-requests': [
    'failed request in a socket.io scenario',
    'not counted',
    'counted',
  ],
  'socketio-response-and-acknowledge': [
    '`response` and `acknowledge`',
    'acknowledgement never requested',
    'waits for both',
  ],
  'socketio-response-without-data': [
    '`response` without `data`',
    'waits for the whole timeout',
    'takes the first event',
  ],
  'switching-protocols': ['unrequested 101', 'waits forever', '`ECONNRESET`'],
  'target-slash': ['target ending in a slash', 'requests `//path`', '`/path`'],
  'tls-in-nodes-words': [
    '`config.tls`',
    '`certificateAuthority`, `certificate`',
    'also `ca`, `cert`',
  ],
  'upload-that-is-not-there': ['missing upload file', '`ERR_GOT_REQUEST_ERROR`', '`ENOENT`'],
  'user-agent': [
    'User-Agent with default headers',
    'that of `got`',
    "Artillery's, or the script's",
  ],
  'values-as-they-are': ['values with `$&`, `$1`', 'read as patterns', 'as they are'],
  'websocket-ends': [
    'WebSocket ends while waiting',
    'holds the user until the timeout',
    '`disconnected: <code>` at once',
  ],
  'websocket-replies': [
    'WebSocket metrics',
    'message counts',
    'connections, messages, bytes, times',
  ],
  zstd: ['zstd', 'not decompressed', 'decompressed'],
};

/** What no script can show: anchor of a decision → the test that pins it. @type {Record<string, string>} */
export const PINNED_BY_TESTS = {
  'arrivals-at-their-time': 'record/load/pacing-schedule.test.js',
  'before-and-after': 'record/load/generator-run.test.js',
  'client-certificate-that-is-missing': 'record/load/engine/http-connections.test.js',
  'closed-loop': 'record/load/pacing-closed-loop.test.js',
  'defaults-per-user': 'record/load/engine/http-request.test.js',
  'endpoints-of-hops': 'record/load/engine/http-redirects.test.js',
  'endpoints-plugin': 'record/load/generator-plugins.test.js',
  'headers-of-the-client': 'record/load/engine/http-request.test.js',
  'hooks-own-copies': 'record/load/engine/http-hooks.test.js',
  'loops-that-wait-for-nothing': 'record/load/engine/http-flow.test.js',
  'max-sockets': 'record/load/engine/http-connections.test.js',
  output: 'record/load/generator-output.test.js',
  'phases-last-as-long-as-they-say': 'record/load/pacing-run.test.js',
  ramps: 'record/load/pacing-schedule.test.js',
  'shares-of-workers': 'record/load/pacing-schedule.test.js',
  'socketio-acknowledge-shape': 'record/load/engine/socketio-hostile.test.js',
  'socketio-connections': 'record/load/engine/socketio-connect.test.js',
  'socketio-cookies': 'record/load/engine/socketio-connect.test.js',
  'socketio-disconnected': 'record/load/engine/socketio-connection.test.js',
  'socketio-push': 'record/load/engine/socketio-push.test.js',
  'socketio-response-without-data': 'record/load/engine/socketio-emit.test.js',
  think: 'record/load/engine/http-flow.test.js',
  timeout: 'record/load/engine/http-hostile.test.js',
  'socketio-inside': 'record/load/prepare-script.test.js',
  'template-functions': 'record/load/engine/flow/template.test.js',
  'unknown-keys': 'record/load/refused-scripts.test.js',
  'unknown-templates': 'record/load/refused-scripts.test.js',
  'unlisted-plugins': 'record/load/generator-plugins.test.js',
  'values-as-they-are': 'record/load/engine/http-flow.test.js',
  'values-in-expressions': 'record/load/engine/flow/template.test.js',
  'websocket-ends': 'record/load/engine/websocket.test.js',
  'websocket-replies': 'record/load/engine/websocket.test.js',
  'whole-environment': 'record/load/engine/flow/template.test.js',
};

/** @type {Record<string, string[]>} */
export const DECISIONS = {
  'body/form-data-file-missing': ['upload-that-is-not-there'],
  'broken-hooks/after-response': ['broken-hooks'],
  'broken-hooks/after-scenario': ['broken-hooks'],
  'broken-hooks/before-request': ['broken-hooks'],
  'broken-hooks/before-scenario': ['broken-hooks'],
  'broken-hooks/function': ['broken-hooks'],
  'broken-hooks/if-true': ['broken-hooks'],
  'broken-hooks/on-error': ['broken-hooks'],
  'broken-hooks/while-true': ['broken-hooks'],
  'capture/after-redirect': ['downloaded-bytes'],
  'capture/regexp-invalid': ['expression-that-is-none'],
  'capture/xpath': ['xpath'],
  'cookies/domain-mismatch-later': ['downloaded-bytes', 'cookie-errors'],
  'cookies/malformed-later': ['downloaded-bytes', 'cookie-errors'],
  'cookies/replaced': ['downloaded-bytes'],
  'fallback/unknown-engine': ['refused-before-any-load'],
  'fallback/websocket': ['websocket-replies'],
  'flow/empty-request': ['refused-before-any-load'],
  'flow/function-unknown': ['refused-before-any-load'],
  'flow/nested-lists': ['lists-in-a-flow'],
  'flow/think-invalid': ['refused-before-any-load'],
  'headers/defaults': ['user-agent'],
  'headers/defaults-templates': ['defaults-per-user', 'user-agent'],
  'headers/old-defaults': ['user-agent'],
  'hooks/no-processor': ['refused-before-any-load'],
  'hooks/request-body': ['values-are-text'],
  'hooks/unknown': ['refused-before-any-load'],
  'hooks/unknown-on-error': ['refused-before-any-load'],
  'hostile/continue-not-asked': ['continue-not-asked'],
  'hostile/switching-protocols': ['switching-protocols'],
  'options/extended-metrics': ['connection-times'],
  'options/target-slash': ['target-slash'],
  'query/invalid': ['refused-before-any-load'],
  'redirects/away': ['redirect-to-another-host', 'downloaded-bytes'],
  'redirects/away-wanted': ['downloaded-bytes'],
  'redirects/chain': ['downloaded-bytes'],
  'redirects/codes': ['downloaded-bytes'],
  'redirects/cookies': ['downloaded-bytes'],
  'redirects/first-cookie': ['first-cookie-of-a-redirect', 'downloaded-bytes'],
  'redirects/headers': ['downloaded-bytes'],
  'redirects/invalid': ['downloaded-bytes'],
  'redirects/loop': ['downloaded-bytes'],
  'redirects/multiple-choices': ['downloaded-bytes'],
  'redirects/not-modified': ['redirect-without-location'],
  'redirects/other-protocol': ['downloaded-bytes'],
  'redirects/post': ['downloaded-bytes'],
  'redirects/post-again': ['downloaded-bytes'],
  'redirects/put': ['downloaded-bytes'],
  'redirects/relative': ['downloaded-bytes'],
  'redirects/too-many': ['downloaded-bytes'],
  'redirects/without-location': ['redirect-without-location'],
  'responses/brotli-lie': ['broken-compression'],
  'responses/compressed': ['downloaded-bytes'],
  'responses/gzip-cut': ['broken-compression'],
  'responses/gzip-empty': ['downloaded-bytes'],
  'responses/gzip-lie': ['broken-compression'],
  'responses/gzip-lie-captured': ['broken-compression'],
  'responses/never-ending-body': ['never-ending-body'],
  'responses/zstd': ['downloaded-bytes', 'zstd'],
  'socketio/acknowledge-never': ['socketio-acknowledge-timeout'],
  'socketio/acknowledge-text-of-object': ['socketio-acknowledge-shape'],
  'socketio/capture-fails-in-http': ['socketio-connects-late', 'socketio-errors-of-requests'],
  'socketio/connection-refused': ['socketio-error-names'],
  'socketio/emit': ['socketio-response-time'],
  'socketio/hooks': ['socketio-hooks'],
  'socketio/http-steps': ['socketio-cookies'],
  'socketio/kicked': ['socketio-response-time'],
  'socketio/response': ['socketio-response-time'],
  'socketio/response-and-acknowledge': [
    'socketio-response-time',
    'socketio-response-and-acknowledge',
  ],
  'socketio/response-capture': ['socketio-response-time'],
  'socketio/response-parts': ['socketio-response-time'],
  'socketio/response-without-data': ['socketio-response-time'],
  'socketio/response-wrong': ['socketio-response-time'],
  'tls/ca': ['tls-in-nodes-words'],
  'variables/built-in': ['scenario-file'],
  'variables/environment': ['user-agent'],
  'variables/payload-empty': ['refused-before-any-load'],
  'variables/payload-missing': ['refused-before-any-load'],
  'variables/payload-two': ['refused-before-any-load'],
};

/**
 * What of Artillery's outcome is replaced.
 * @typedef {object} Difference
 * @property {string} [ended]
 * @property {Record<string, number | null>} [counters] null: there is none
 * @property {Record<string, number | null>} [summaries]
 * @property {string[]} [vars]
 * @property {string[]} [said]
 * @property {string[]} [seen]
 */

/** @returns {Record<string, Difference>} by script */
export function readDifferences() {
  return existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : {};
}

/** @param {Record<string, Difference>} differences of scripts that have a decision */
export function writeDifferences(differences) {
  const decided = Object.entries(differences).filter(([name]) => name in DECISIONS);
  const sorted = Object.fromEntries(decided.sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(FILE, `${JSON.stringify(sorted, null, 1)}\n`);
}

/** @typedef {import('./run-script.js').Outcome} Outcome */

/**
 * @param {Outcome} reference
 * @param {Difference} [difference]
 * @returns {Outcome}
 */
export function applyDifference(reference, { counters, summaries, ...rest } = {}) {
  return {
    ...reference,
    ...rest,
    counters: replace(reference.counters, counters),
    summaries: replace(reference.summaries, summaries),
  };
}

/** @param {Record<string, number>} values @param {Record<string, number | null>} [changes] */
function replace(values, changes = {}) {
  const entries = Object.entries({ ...values, ...changes }).filter(([, value]) => value !== null);
  return /** @type {Record<string, number>} */ (Object.fromEntries(entries));
}

/**
 * @param {Outcome} reference
 * @param {Outcome} ours
 * @returns {Difference}
 */
export function findDifference(reference, ours) {
  /** @type {Record<string, any>} */
  const difference = {};
  for (const part of /** @type {const} */ (['ended', 'vars', 'said', 'seen'])) {
    if (!isDeepStrictEqual(reference[part], ours[part])) difference[part] = ours[part];
  }
  for (const part of /** @type {const} */ (['counters', 'summaries'])) {
    const names = [
      ...new Set([...Object.keys(reference[part]), ...Object.keys(ours[part])]),
    ].sort();
    const changed = names.filter(name => reference[part][name] !== ours[part][name]);
    const changes = changed.map(name => [name, ours[part][name] ?? null]);
    if (changes.length > 0) difference[part] = Object.fromEntries(changes);
  }
  return difference;
}
