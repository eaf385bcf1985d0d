/**
 * What loadflame and the generator process (our host, or Artillery with our plugin) tell each other,
 * over Node's own channel; and what the threads of Artillery do, over a broadcast channel: never a
 * file, never an argument.
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
 * @property {import('./engine/engine.d.ts').TokenPlaces} tokenPlaces
 * @property {string | null} stickyCookie of a router; null: those that are known
 */

/**
 * What our host is told besides.
 * @typedef {Job & {
 *   plan: Record<string, any>,
 *   scriptFile: string,
 *   extendedMetrics: boolean,
 *   flags: GeneratorFlags,
 * }} HostJob `plan` is the script, `scriptFile` the user's own file, absolute; `extendedMetrics`:
 *   the script asks for them
 */

/**
 * Artillery's own flags that are passed on.
 * @typedef {object} GeneratorFlags
 * @property {string} [environment]
 * @property {string} [output]
 * @property {string} [scenarioName]
 * @property {boolean} [insecure]
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
 * `aggregate`: totals under Artillery's names, of a run that was `complete` or of what was measured
 * until it was stopped; `note`: something that the user is to be told once.
 * @typedef {{loadflame: 'ready'}
 *   | {loadflame: 'progress', progress: LoadProgress}
 *   | {loadflame: 'note', text: string}
 *   | {loadflame: 'aggregate', counters: Record<string, number>, complete: boolean}} PluginMessage
 */

/**
 * @typedef {{kind: 'hello' | 'bye'}
 *   | {kind: 'second', record: Record<string, any>}} FromWorker
 */
/** @typedef {{kind: 'tokens', tokens: string[]} | {kind: 'stop'}} ToWorkers */
