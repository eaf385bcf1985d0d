/**
 * Messages between loadflame and the generator process (ours, or Artillery with our plugin), over Node's IPC channel:
 * never in a file, never in an argument.
 */

/** @import { CaptureSpec, Phase, Script } from './script.d.ts' */

/** @import { SketchJson } from '../base/math/sketch.js' */
/** @import { LoadControl, TurnRequest } from '../run/facts/steering.d.ts' */
/** @import { WholeRequest } from '../run/facts/whole-request.d.ts' */
/** @import { TokenPlaces } from './engine/engine.d.ts' */
/** @import { Share } from './pacing/schedule.js' */

/**
 * The job for Artillery's plugin.
 * @typedef {object} ArtilleryJob
 * @property {'job'} loadflame
 * @property {number} workers
 * @property {string[]} tokens
 * @property {TokenPlaces} tokenPlaces
 * @property {CaptureSpec[]} early captures of the `before` flow, which workers do not see
 * @property {string[]} named variables of the environment that the script or its hooks name
 */

/**
 * @typedef {object} Job the first message to our own generator
 * @property {'job'} loadflame
 * @property {string} metricsFile
 * @property {string} errorsFile
 * @property {string} callsFile
 * @property {string} slowestFile
 * @property {string} script name
 * @property {string[]} scenarios names
 * @property {Phase[]} phases
 * @property {number} workers
 * @property {Share} share the first thread here, among the threads of all sending machines
 * @property {boolean} isHeld the load waits for a `start` message instead of beginning immediately
 * @property {boolean} trustsAnyone TLS certificates are not checked
 * @property {string[]} secrets to be redacted
 * @property {string[]} tokens
 * @property {TokenPlaces} tokenPlaces
 * @property {string | null} stickyCookie of a router; null: the well-known ones
 * @property {Script} plan the script
 * @property {string} scriptFile the user's own file, absolute
 * @property {number} [wholeSecondAfterMs] the load starts so that this long after it a second of the clock begins
 * @property {boolean} [untilSteady] the first phase ends once the rate has stopped rising, at a second of the clock
 * @property {boolean} [endsSoon] after the last phase users leave out their pauses, and are cut half a second later
 * @property {GeneratorFlags} flags
 * @property {Once} [once] instead of the phases
 */

/**
 * @typedef {object} Once
 * @property {string[]} scenarios that one user runs, one after the other
 * @property {number} times each
 * @property {number} [mostTimes] as many as begin within the first 1.3 s; never fewer than `times`
 * @property {string} [asks] of the companion, see NAMES_HEADER
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
/** @typedef {{loadflame: 'steer'} & TurnRequest} SteerMessage */
/** Starts a load that waits. @typedef {{loadflame: 'start', startAtMs: number}} StartMessage */

/**
 * The very first message: variables that are secrets (`receive-environment.js`).
 * @typedef {{loadflame: 'environment', env: Record<string, string>}} EnvironmentMessage
 */

/**
 * @typedef {object} LoadProgress once a second
 * @property {number} phaseIndex -1 before the first
 * @property {string} phaseName
 * @property {number} phases number of phases
 * @property {number} elapsedMs since the first phase began
 * @property {number} usersActive
 * @property {number} started users since the start, including dropped arrivals
 * @property {number} requests since the start
 * @property {number} inFlight requests with neither a response nor an error; slightly too low if responses fail a check
 * @property {number} requestsPerSec over the last 5 s
 * @property {number | null} p95Ms time to first byte over the last 5 s
 * @property {number} errors since the start: responses ≥ 400, and requests or messages without a response
 */

/**
 * A period of Artillery: 10 s, aligned to the clock.
 * @typedef {object} ArtilleryPeriod
 * @property {number} fromMs
 * @property {number} firstMs of the first counter
 * @property {number} lastMs
 * @property {Record<string, number>} counters
 * @property {Record<string, SketchJson>} sketches
 */

/**
 * `note`: show it to the user once; `log`: a line that the script printed; `secrets`: found in it and in responses
 * (captured tokens, session cookies); `request`: only with `once`. Only from ours, `aggregate`: totals under Artillery's names, of a `complete` run
 * or up to the moment when it was stopped. Only from Artillery's plugin: `phase` and `period`.
 * @typedef {{loadflame: 'ready'}
 *   | {loadflame: 'progress', progress: LoadProgress}
 *   | {loadflame: 'note' | 'log', text: string}
 *   | {loadflame: 'secrets', secrets: string[]}
 *   | {loadflame: 'request', request: WholeRequest}
 *   | {loadflame: 'control', control: LoadControl}
 *   | {loadflame: 'aggregate', counters: Record<string, number>, complete: boolean}
 *   | {loadflame: 'phase', kind: 'phase-start' | 'phase-end', index: number, name: string}
 *   | {loadflame: 'period', record: ArtilleryPeriod}} FromGenerator
 */

/** From the generator to loadflame, which may have ended. @param {FromGenerator} message */
export function tell(message) {
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}
