/**
 * Where our engine is not to do what Artillery does: script → anchors of decisions in docs/engine.md.
 * What it does instead is in
 * test/fixtures/conformance/differences.json (`node scripts/run.js scripts/conformance.js --accept <script>` writes it,
 * people check it).
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';

const FILE = path.join(import.meta.dirname, '../fixtures/conformance/differences.json');

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
  'flow/nested-lists': ['lists-in-a-flow'],
  'headers/defaults': ['user-agent'],
  'headers/defaults-templates': ['user-agent'],
  'headers/old-defaults': ['user-agent'],
  'hostile/continue-not-asked': ['continue-not-asked'],
  'hostile/length-and-chunked': ['lengths-that-contradict'],
  'hostile/switching-protocols': ['switching-protocols'],
  'options/extended-metrics': ['connection-times'],
  'options/target-slash': ['target-slash'],
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
  'variables/payload-missing': ['refused-before-any-load'],
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
