/**
 * What loadflame and its plugin tell each other. Between the processes over Node's own channel,
 * between Artillery's threads over a broadcast channel: never a file, never an argument.
 */

/** Key under which a worker finds its `Job` when it starts. */
export const JOB_KEY = 'loadflame';
export const CHANNEL = 'loadflame';

/**
 * @typedef {object} Job what loadflame tells the plugin first
 * @property {'job'} loadflame
 * @property {string} metricsFile
 * @property {string} errorsFile
 * @property {string} script name
 * @property {string[]} scenarios names
 * @property {Record<string, any>[]} phases
 * @property {number} workers
 * @property {string[]} secrets to be redacted
 * @property {string[]} tokens
 * @property {import('./plugin/patch-socketio.js').TokenPlaces} tokenPlaces
 */

/** @typedef {{loadflame: 'tokens', tokens: string[]}} TokensMessage */

/**
 * @typedef {object} LoadProgress once a second
 * @property {number} phaseIndex -1 before the first
 * @property {string} phaseName
 * @property {number} phases how many there are
 * @property {number} elapsedMs since the first phase began
 * @property {number} usersActive
 * @property {number} requests since the start
 * @property {number} requestsPerSec over the last 5 s
 * @property {number | null} p95Ms time to first byte over the last 5 s
 * @property {number} errors since the start: answers ≥ 400, and requests or messages without one
 */

/**
 * @typedef {{loadflame: 'ready'}
 *   | {loadflame: 'progress', progress: LoadProgress}
 *   | {loadflame: 'aggregate', counters: Record<string, number>}} PluginMessage
 */

/**
 * @typedef {{kind: 'hello' | 'bye'}
 *   | {kind: 'second', record: Record<string, any>}} FromWorker
 */
/** @typedef {{kind: 'tokens', tokens: string[]} | {kind: 'stop'}} ToWorkers */
