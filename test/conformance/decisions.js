/**
 * Where our engine is not to do what Artillery does: script → anchors of decisions, in docs/engine.md or
 * small-decisions.js. What it does instead is in
 * test/fixtures/conformance/differences.json (`node scripts/run.js scripts/conformance.js --accept <script>` writes it,
 * people check it).
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';

const FILE = path.join(import.meta.dirname, '../fixtures/conformance/differences.json');

/** What no script can show: anchor of a decision → the test that pins it. @type {Record<string, string>} */
export const PINNED_BY_TESTS = {
  'arrivals-at-their-time': 'load/pacing-schedule.test.js',
  'before-and-after': 'load/generator-run.test.js',
  'client-certificate-that-is-missing': 'load/engine/http-tls.test.js',
  'closed-loop': 'load/pacing-closed-loop.test.js',
  'defaults-per-user': 'load/engine/http-request.test.js',
  'endpoints-of-hops': 'load/engine/http-redirects.test.js',
  'endpoints-plugin': 'load/generator-plugins.test.js',
  'headers-of-the-client': 'load/engine/http-request.test.js',
  'hooks-own-copies': 'load/engine/http-hooks.test.js',
  'loops-that-wait-for-nothing': 'load/engine/http-flow.test.js',
  'max-sockets': 'load/engine/http-connections.test.js',
  output: 'load/generator-output.test.js',
  'phases-last-as-long-as-they-say': 'load/pacing-run.test.js',
  ramps: 'load/pacing-schedule.test.js',
  'shares-of-workers': 'load/pacing-schedule.test.js',
  'socketio-acknowledge-shape': 'load/engine/socketio-hostile.test.js',
  'socketio-connections': 'load/engine/socketio-connect.test.js',
  'socketio-cookies': 'load/engine/socketio-connect.test.js',
  'socketio-disconnected': 'load/engine/socketio-connection.test.js',
  'socketio-push': 'load/engine/socketio-push.test.js',
  'socketio-response-without-data': 'load/engine/socketio-emit.test.js',
  think: 'load/engine/http-flow.test.js',
  timeout: 'load/engine/http-hostile.test.js',
  'socketio-inside': 'load/prepare-script.test.js',
  'template-functions': 'load/engine/flow/template.test.js',
  'unknown-keys': 'load/refused-scripts.test.js',
  'unknown-templates': 'load/refused-scripts.test.js',
  'unlisted-plugins': 'load/generator-plugins.test.js',
  'values-as-they-are': 'load/engine/http-flow.test.js',
  'values-in-expressions': 'load/engine/flow/template.test.js',
  'websocket-ends': 'load/engine/websocket.test.js',
  'websocket-replies': 'load/engine/websocket.test.js',
  'whole-environment': 'load/engine/flow/template.test.js',
  proxies: 'base/process/proxies.test.js',
  'failed-responses': 'load/one-count.test.js',
  'failed-functions': 'load/one-count.test.js',
  'hook-responses': 'load/engine/http-hooks.test.js',
  programs: 'load/foreign-scripts.test.js',
};

/** @type {Record<string, string[]>} */
export const DECISIONS = {
  'before/after-fails': ['before-and-after'],
  'before/fails': ['before-and-after'],
  'before/refused': ['before-and-after'],
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
  'capture/regexp-invalid': ['refused-before-any-load'],
  'capture/xpath': ['xpath'],
  'cookies/domain-mismatch': ['cookie-errors'],
  'cookies/domain-mismatch-later': ['downloaded-bytes', 'cookie-errors'],
  'cookies/header': ['cookie-header'],
  'cookies/malformed': ['cookie-errors'],
  'cookies/malformed-among-good': ['cookie-errors'],
  'cookies/malformed-later': ['downloaded-bytes', 'cookie-errors'],
  'cookies/odd-values': ['cookie-errors'],
  'cookies/replaced': ['downloaded-bytes'],
  'fallback/unknown-engine': ['refused-before-any-load'],
  'fallback/websocket': ['websocket-replies'],
  'fallback/websocket-big-integer': ['big-integers', 'websocket-replies'],
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
  'plugins/unknown': ['own-words'],
  'proxy/refused': ['proxies'],
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
  'refused/address-without-slash': ['refused-before-any-load'],
  'refused/big-integer': ['big-integers'],
  'refused/if-true-broken': ['unknown-templates'],
  'refused/engine-of-a-package': ['socketio-v3'],
  'refused/ensure-without-plugin': ['unlisted-plugins'],
  'refused/environment-unknown': ['unknown-keys'],
  'refused/expect-misspelt': ['unknown-keys'],
  'refused/expect-without-plugin': ['unlisted-plugins'],
  'refused/flow-missing': ['refused-before-any-load'],
  'refused/function-inline': ['refused-before-any-load'],
  'refused/function-missing': ['refused-before-any-load'],
  'refused/key-of-config-at-top': ['unknown-keys'],
  'refused/key-unknown-at-top': ['unknown-keys'],
  'refused/key-unknown-in-emit': ['unknown-keys'],
  'refused/key-unknown-in-phase': ['unknown-keys'],
  'refused/key-unknown-in-request': ['unknown-keys'],
  'refused/module-missing': ['refused-before-any-load'],
  'refused/payload-delimiter': ['refused-before-any-load'],
  'refused/processor-missing': ['refused-before-any-load'],
  'refused/request-without-address': ['refused-before-any-load'],
  'refused/step-two-at-once': ['refused-before-any-load'],
  'refused/target-missing': ['refused-before-any-load'],
  'refused/target-websocket': ['refused-before-any-load'],
  'refused/template-expression': ['unknown-templates'],
  'refused/template-function-unknown': ['unknown-templates'],
  'refused/template-functions-of-ours': ['template-functions'],
  'refused/think-range': ['refused-before-any-load'],
  'refused/variable-never-captured': ['unknown-templates'],
  'refused/weight-fraction': ['refused-before-any-load'],
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
  'socketio/big-integer': ['big-integers', 'socketio-response-time'],
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
 * @property {string[]} [printed]
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
  for (const part of /** @type {const} */ (['ended', 'vars', 'said', 'seen', 'printed'])) {
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
