/**
 * What loadflame and the generator process (ours, or Artillery with our plugin) say to each other over
 * Node's own channel: never in a file, never in an argument.
 */

/** @import { CaptureSpec, Phase, Script } from './script.d.ts' */

/** @import { SketchJson } from '../../math/sketch.js' */
/** @import { TokenPlaces } from './engine/engine.d.ts' */
/** @import { Share } from './pacing/schedule.js' */

/**
 * What Artillery's plugin needs to know.
 * @typedef {object} ArtilleryJob
 * @property {'job'} loadflame
 * @property {number} workers
 * @property {string[]} tokens
 * @property {TokenPlaces} tokenPlaces
 * @property {CaptureSpec[]} early what the `before` flow captures: workers do not know that flow
 */

/**
 * @typedef {object} Job what loadflame tells its own generator first
 * @property {'job'} loadflame
 * @property {string} metricsFile
 * @property {string} errorsFile
 * @property {string} callsFile
 * @property {string} script name
 * @property {string[]} scenarios names
 * @property {Phase[]} phases
 * @property {number} workers
 * @property {Share} share of the threads of all machines that send: that of the first one here
 * @property {boolean} isHeld the load begins when a `start` says so, and not at once
 * @property {boolean} trustsAnyone certificates of TLS are not checked
 * @property {string[]} secrets to be redacted
 * @property {string[]} tokens
 * @property {TokenPlaces} tokenPlaces
 * @property {string | null} stickyCookie of a router; null: those that are known
 * @property {Script} plan the script
 * @property {string} scriptFile the user's own file, absolute
 * @property {number} [wholeSecondAfterMs] the load waits until a second of the clock begins so long after its start
 * @property {GeneratorFlags} flags
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
/** Of a load that is held. @typedef {{loadflame: 'start', startAtMs: number}} StartMessage */

/**
 * The very first message: variables that are secrets (`receive-environment.js`).
 * @typedef {{loadflame: 'environment', env: Record<string, string>}} EnvironmentMessage
 */

/**
 * @typedef {object} LoadProgress once a second
 * @property {number} phaseIndex -1 before the first
 * @property {string} phaseName
 * @property {number} phases how many there are
 * @property {number} elapsedMs since the first phase began
 * @property {number} usersActive
 * @property {number} started users since the start, dropped arrivals among them
 * @property {number} requests since the start
 * @property {number} inFlight requests that have neither a response nor an error; some fewer where responses fail a check
 * @property {number} requestsPerSec over the last 5 s
 * @property {number | null} p95Ms time to first byte over the last 5 s
 * @property {number} errors since the start: answers ≥ 400, and requests or messages without one
 */

/**
 * A period of Artillery's: 10 s, aligned to the clock.
 * @typedef {object} ArtilleryPeriod
 * @property {number} fromMs
 * @property {number} firstMs of the first counter
 * @property {number} lastMs
 * @property {Record<string, number>} counters
 * @property {Record<string, SketchJson>} sketches
 */

/**
 * `note`: something to be shown to the user once; `log`: a line that the script printed; `secrets`: what
 * it and the answers taught (captured tokens, cookies of sessions). Of ours alone, `aggregate`: totals under Artillery's
 * names, of a run that was `complete` or of what was measured until it was stopped. Of Artillery's
 * plugin alone: `phase` and `period`.
 * @typedef {{loadflame: 'ready'}
 *   | {loadflame: 'progress', progress: LoadProgress}
 *   | {loadflame: 'note' | 'log', text: string}
 *   | {loadflame: 'secrets', secrets: string[]}
 *   | {loadflame: 'aggregate', counters: Record<string, number>, complete: boolean}
 *   | {loadflame: 'phase', kind: 'phase-start' | 'phase-end', index: number, name: string}
 *   | {loadflame: 'period', record: ArtilleryPeriod}} FromGenerator
 */
