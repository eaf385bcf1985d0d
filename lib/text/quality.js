/** The checks of a measurement, one sentence each. */
import { listPresent } from '../base/files/maps.js';
import {
  formatClock,
  formatCores,
  formatCount,
  formatDuration,
  formatMs,
  formatNumberOf,
  formatPercent,
} from '../base/format.js';
import { nameFailure } from './failures.js';
import { describeSign, sayLimit } from './generator-sign.js';
import { say } from './say.js';
import { capitalize, describeTurn, joinWords, listFirst, MOST_NAMED } from './words.js';

/** @import { InvalidReason, InvalidTable, PartialReason, PartialTable } from '../run/facts/validity.d.ts' */
/** @import { QualityItem, QualityTable, QuotaFacts } from '../run/facts/quality.d.ts' */
/** @import { Catalogue } from './text.d.ts' */

/** @type {Catalogue<InvalidTable, string>} each a clause */
const INVALID = {
  'server-ended': ({ pid, afterMs }) =>
    `${pid === null ? 'the server stopped listening' : `the server process ended (pid ${pid})`} ${formatDuration(afterMs)} after the start of the load`,
  'nothing-sent': ({ created, failed, error }) =>
    `no request was sent (${formatNumberOf(created, 'user')} started, ${formatCount(failed)} failed${error ? `; the most frequent error was "${error}"` : ''})`,
  'no-response': ({ requests, error }) =>
    `none of ${formatNumberOf(requests, 'request')} got a response${error ? ` (${error})` : ''}`,
  'most-users-failed': ({ created, failed }) =>
    `${formatCount(failed)} of ${formatNumberOf(created, 'user')} failed`,
  'scenario-failed': ({ scenarios, users }) =>
    `${formatCount(users.failed)} of ${formatNumberOf(users.ended, 'user')} failed: ${joinWords(
      scenarios.map(({ name, failed, ended }) => sayNever(name, 'completed', failed, ended)),
    )}`,
  'endpoint-failed': ({ endpoints }) => {
    const named = endpoints.map(({ name, errors, requests, failure }) => {
      const why = failure ? `: ${nameFailure({ ...failure, endpoint: '' })}` : '';
      return `${sayNever(name, 'succeeded', errors, requests)}${why}`;
    });
    return listFirst(named, MOST_NAMED).join('; ');
  },
  'most-failed': ({ requests, errorRate, failure }) =>
    `${formatPercent(errorRate)} of ${formatNumberOf(requests, 'request')} failed, most with ${failure ? nameFailure(failure) : 'no response'}`,
};

/** @param {string} name @param {string} what @param {number | null} failed @param {number | null} of */
function sayNever(name, what, failed, of) {
  return `${name} ${failed === of ? 'never' : 'almost never'} ${what} (${formatCount(failed)} of ${formatCount(of)} failed)`;
}

/** Why a run can't be used, a clause. @param {InvalidReason} reason */
export const describeInvalid = reason => say(INVALID, reason);

/** @type {Catalogue<PartialTable, string>} each a clause */
const PARTIAL = {
  'session-killed': () =>
    'loadflame itself was killed or could not write: the data that it was about to record is missing',
  'load-running': () => 'a load test is still running',
  'load-killed': () => 'the load test was killed, or its end could not be written',
  'load-interrupted': () => 'the load test was interrupted (Ctrl+C or a signal)',
  'load-failed': ({ engine, signal, exitCode }) =>
    `${engine === 'artillery' ? 'Artillery' : 'the load generator'} ${signal ? `was ended by ${signal}` : `ended with exit code ${exitCode}`} before the load test was over`,
  'segments-lost': ({ segments }) =>
    `${formatNumberOf(segments, 'profile segment was', 'profile segments were')} lost`,
  'workers-ended': ({ pids }) =>
    pids.length > MOST_NAMED
      ? `${formatNumberOf(pids.length, 'worker')} ended during the recording`
      : `${pids.length === 1 ? 'worker' : 'workers'} ${joinWords(pids.map(String))} ended during the recording`,
  event: ({ message }) => message,
};

/** Why a run is partial, a clause. @param {PartialReason} reason */
export const describePartial = reason => say(PARTIAL, reason);

/** @type {Catalogue<QualityTable, string>} */
const QUALITY = {
  'warm-up': describeWarmUp,
  invalid: ({ reason }) => `${capitalize(describeInvalid(reason))}.`,
  steered: ({ turns }) =>
    `The load was changed on the live page: ${joinWords(listFirst(turns.map(sayTurn), MOST_NAMED))}. The figures are of all of it, and this run is not compared with others.`,
  torn: ({ records }) =>
    `${formatNumberOf(records, 'record was', 'records were')} left out: cut off when a recorder was killed, or invalid (a broken clock, a damaged file).`,
  samples: ({ active, waiting, leastSamples }) =>
    `The shares rest on ${formatNumberOf(active, 'active sample')}; ${formatCount(waiting)} more were waiting and are excluded${leastSamples ? `. With fewer than ${leastSamples} only the largest shares mean anything: record longer, or send more load` : ''}.`,
  pausing: ({ share }) =>
    `py-spy stopped each worker for its samples, as it has to before Python 3.11 and on macOS: ${share === null ? 'how long is not known' : `for at most ${formatPercent(share)} of the time`}. Functions that make system calls may appear too large.`,
  profiler: ({ name, version, sameCore, notRemote }) => {
    const isOwn = name === 'loadflame';
    const apart = `, from another core than the target's, which widens the intervals.${isOwn ? ' With real-time priority it would sample from the core of the target (docs/sampling.md).' : ''}`;
    return `${isOwn ? "loadflame's own recorder, on Python" : name}${version ? ` ${version}` : ''} took the samples${sameCore ? ', from the core of the target.' : apart}${notRemote ? ` loadflame's own recorder needs Python 3.15 (${notRemote}).` : ''}`;
  },
  segments: ({ count, lost, unsampledMs, unsampledShare, isWhole }) =>
    isWhole
      ? `${formatMs(unsampledMs)} (${formatPercent(unsampledShare)}) of the time were not sampled.`
      : `${formatNumberOf(count, 'profile segment')}${lost > 0 ? `, ${formatCount(lost)} lost` : ''}; at least ${formatMs(unsampledMs)} (${formatPercent(unsampledShare)}) were not sampled. A gap in the hand-over from one segment to the next is not seen.`,
  'sampling-errors': ({ errors, share }) =>
    `${formatNumberOf(errors, 'sample')} failed (${formatPercent(share)}), most often because the stack changed meanwhile. This widens the intervals.`,
  late: ({ lateMs, quotaCores }) =>
    `py-spy was up to ${formatDuration(lateMs)} behind schedule: ${quotaCores === null ? 'this machine is overloaded. Lower PROFILE_RATE' : `the CPU quota of ${formatCores(quotaCores)} cores that it shares with the load ran out`}. This widens the intervals.`,
  unread: ({ entries, skipped, example }) =>
    `${formatCount(skipped)} of ${formatNumberOf(entries, 'entry', 'entries')} of the profile could not be read and ${skipped === 1 ? 'is' : 'are'} missing from all figures: without a whole number of samples, or cut off. The first: "${example}".`,
  difference: () =>
    'It is a differential flamegraph: the figures are those of the newer of its two profiles.',
  'frame-names': ({ names }) =>
    names === 'files'
      ? 'Frames name files without their folders, so libraries and the application are hard to distinguish: categories are uncertain.'
      : 'No frame names a Python file, so most samples cannot be assigned to a category. Record with `py-spy record -f raw`.',
  'no-times': () =>
    'The file has no timestamps, so samples count as independent: the intervals are too narrow.',
  'samples-to-cpu': ({ ratio, isCrowded }) =>
    `Threads of Python were sampled as active for ${ratio.toFixed(2)} times the CPU time that they used. Above 1, threads were also sampled while they waited for a core or the GIL. Totals come from CPU time; samples only divide it${isCrowded ? '. They may not show where it was spent, which widens the intervals' : ''}.`,
  'cpu-unknown': ({ isUpperBound }) =>
    `The CPU time of the processes is unknown, so samples include threads that wait. Code that can wait may have much less of the CPU than of the samples, and the rest more. ${isUpperBound ? 'Milliseconds per request are upper bounds from samples.' : 'CPU time per request is unknown.'}`,
  'lines-unread': ({ share }) =>
    `${formatPercent(share)} of the active samples end in lines of the application whose source was not found, or is newer than the process. C code that they call (a query, a digest) counts as the application's own.`,
  'first-requests': ({ count, share, perRequestMs }) =>
    `${share === null ? `Of ${formatNumberOf(count, 'response')}, most may be first ones of a worker: what a usual request costs is not known` : `At least ${formatPercent(share)} of the CPU is that of first requests. A request costs ${formatMs(perRequestMs)} with them, and at most ${formatMs(perRequestMs * (1 - share))} after them`}. First requests import modules, compile patterns and fill caches. Give the load a warm-up phase, or send more.`,
  'waits-lost': ({ isAll, reason }) =>
    `What threads wait for was not recorded ${isAll ? 'at all' : 'for a while'}: ${reason}.`,
  'awaits-unknown': ({ hasCompanion }) =>
    `What requests await is not known: an event loop serves them, and suspended coroutines and greenlets are on no stack. Shares of waiting cover threads only.${hasCompanion ? '' : ' With the companion (docs/companion.md) they cover requests.'}`,
  'idle-cpu': ({ cores, share, perRequest }) =>
    `Without requests the workers use ${formatMs(1000 * cores.value)} of CPU a second (${formatMs(1000 * (cores.low ?? 0))} to ${formatMs(1000 * (cores.high ?? 0))}, before the load). That is ${formatPercent(share)} of their CPU time in this run, and not part of the cost of a request.${perRequest ? ` CPU per request is the rest: ${formatMs(perRequest.low)} to ${formatMs(perRequest.high)}. Paths have shares but no cost per request, because samples include the other CPU time as well. Send more load for narrower figures.` : ''}`,
  'no-calls': ({ responses, seen }) =>
    `The companion counted no statement or other call in ${formatNumberOf(responses, 'response')}${seen ? `, but stacks show ${seen === 'database' ? 'the database' : 'calls to other services'}: calls per request are not known` : ''}. If the API makes calls, look with \`curl -i\` for the header \`Loadflame-Calls\` in a response. It is missing with LOADFLAME_CALLS=0, and for drivers that the companion does not follow (docs/companion.md).`,
  'idle-unknown': ({ cores }) =>
    `The workers used only ${formatCores(cores)} cores. What they use without requests was not measured and counts as cost of the requests. Start the load test two seconds after the server's last request, or send more load.`,
  'idle-samples': ({ samples, rateHz, isFew }) =>
    `The waits of requests are based on ${formatNumberOf(samples, 'sample')} of all threads of a worker, ${rateHz} a second${isFew ? ': too few for more than the largest share' : ''}.`,
  'own-metrics': ({ own }) =>
    `No request was sent: the functions of the script measured ${formatNumberOf(own.length, 'metric')} of their own.`,
  'trusts-anyone': () =>
    'TLS certificates were not checked (--insecure, or rejectUnauthorized: false in the script). Anyone in between could have responded, and read every token and password.',
  'cluster-trusts-anyone': () =>
    'The certificate of the cluster was not checked (insecure-skip-tls-verify in the kubeconfig). Anyone in between could have responded, and read its tokens and the secrets of the load.',
  'counts-agree': ({ requests, totalRequests }) =>
    `Requests per second add up to ${formatCount(requests)}; the load generator's own total is ${formatCount(totalRequests)}.`,
  'few-responses': ({ count }) =>
    `Only ${formatNumberOf(count, 'response')}: too few to show how the target responds under load.`,
  'not-checked': ({ unchecked, engine }) =>
    `Not checked: ${joinWords(unchecked.map(what => (what === 'machine' ? 'whether the machine of the load had idle CPU' : `whether the load generator kept up (${engine === 'artillery' ? "Artillery's engine does not measure itself" : 'it left no record of its own load'})`)))}.`,
  'generator-limit': ({ sign }) =>
    `${capitalize(sayLimit(sign))}. Latency and rates reflect it as much as the target.`,
  'generator-paused': ({ sign }) =>
    `The load generator's ${describeSign(sign)}: ${sign.id === 'late' ? 'the total time from the scheduled start includes such delays' : 'such pauses are part of the latencies'}.`,
  generator: ({ utilizationMax, cores, lagP99Ms }) =>
    `The load generator kept up: ${listPresent(
      `its busiest worker was busy ${formatPercent(utilizationMax)} of the time`,
      cores !== null && `its workers used ${cores.toFixed(2)} cores`,
      lagP99Ms !== null &&
        `99 % of the users started at most ${formatMs(lagP99Ms)} behind schedule`,
    ).join(', ')}.`,
  'coordinated-omission': ({ percent, intendedMs, actualMs, matters }) =>
    `p${percent} of the total time is ${formatMs(intendedMs)} from the scheduled start of a request, and ${formatMs(actualMs)} from when it was sent${matters ? ': some requests were sent late, and users would have felt the first figure' : ''}.`,
  'littles-law': ({ windows, windowSec, inFlight, users, holds }) =>
    `Little's law for requests, in ${formatNumberOf(windows, 'window')} of ${windowSec} s: at most ${inFlight.toFixed(2)} in progress for ${users.toFixed(1)} active virtual users${holds ? '' : '. More requests than users: rate, times or users are wrong, or the script sends in parallel'}.`,
  'coarse-clock': ({ medianMs }) =>
    `The median is ${formatMs(medianMs)}, and Artillery's engine measures whole milliseconds: differences of a few milliseconds mean nothing.`,
  'full-machine': ({ hostCores, cpus }) =>
    `The machine had no idle CPU: ${hostCores.toFixed(1)} of ${cpus} cores in use, the load generator included. Latency and throughput are those of an overloaded machine. CPU per request contains no waiting, but can be twice that of an idle machine: programs share its caches.`,
  'dropped-arrivals': ({ dropped, arrivals }) =>
    `${formatCount(dropped)} of ${formatCount(arrivals)} arrivals (${formatPercent(dropped / arrivals)}) ${dropped === 1 ? 'was' : 'were'} dropped: the load was lower than the script says.`,
  responses: ({ count, aboveP99, aboveP95, leastAbove }) =>
    leastAbove === null
      ? `${formatNumberOf(count, 'response')}: ${formatCount(aboveP99)} of them above p99.`
      : `${formatNumberOf(count, 'response')}: too few above p99 (${formatCount(aboveP99)}) to trust it; ${formatCount(aboveP95)} are above p95. A percentile needs ${leastAbove}.`,
  'throttled-generator': facts =>
    describeQuota("The load generator's", facts, 'its figures then measure the generator'),
  'throttled-target': facts => describeQuota("The API's", facts, 'requests waited for CPU then'),
  'merged-clock': ({ from, startMs, endMs, uncertaintyMs, answers }) => {
    const two = 'Load and profile were recorded separately, by two clocks.';
    if (from === 'unknown')
      return `${two} The clocks could not be compared, because responses had no times, or contradictory ones. They were used unchanged: if they differ, CPU time is assigned to the wrong requests. Set both clocks (NTP), or install the companion, and measure again.`;
    const by =
      from === 'date'
        ? formatNumberOf(answers, 'Date header')
        : `the companion's clock in ${formatNumberOf(answers, 'response')}`;
    const vague = uncertaintyMs === null ? '' : ` ± ${formatMs(uncertaintyMs)}`;
    // Clock offsets have milliseconds, however large they are.
    const [start, end] = [startMs, endMs].map(
      ms => `${ms < 0 ? '−' : '+'}${(Math.abs(ms) / 1000).toFixed(3)} s`,
    );
    const drift = start === end ? '' : ` at the start and ${end} at the end`;
    return `${two} All times are in the profile's clock, which was ${start}${drift}${vague} from the load's, by ${by}.`;
  },
  'log-ended': ({ message }) => `${message}.`,
  'log-clock': ({ name, aheadMs }) =>
    `Timestamps in ${name} are ${formatMs(Math.abs(aheadMs))} ${aheadMs > 0 ? 'ahead of' : 'behind'} our clock; its lines were matched with that shift.`,
  'log-left-out': ({ name, records, leftOut }) =>
    `Of ${name}, ${formatCount(records)} records were kept and ${formatNumberOf(leftOut, 'line')} left out, because there were too many; warnings and errors are kept first.`,
};

/** @param {QualityTable['steered']['turns'][number]} turn */
const sayTurn = turn => `${describeTurn(turn)} at ${formatClock(turn.atMs)} UTC (${turn.phase})`;

/** How loadflame chose the load. @param {QualityTable['warm-up']} found */
export function describeWarmUp({ takenPerSec, ratePerSec, isSmall }) {
  const small =
    ' That is too little for a profile, whose shares will rest on few samples. Stop other programs, if any.';
  return `In the warm-up, this machine handled ${formatNewUsers(takenPerSec)} beside the profiler and the load generator. The load starts ${formatNewUsers(ratePerSec)}.${isSmall ? small : ''}`;
}

/** @param {number} perSec */
const formatNewUsers = perSec => `${perSec.toPrecision(2)} new users a second`;

/** @param {string} whose @param {QuotaFacts} facts @param {string} means */
function describeQuota(whose, { quotaCores, share, throttledMs, isOften }, means) {
  const held = throttledMs > 0 ? `, for ${formatMs(throttledMs)} in all` : '';
  return `${whose} CPU quota of ${formatCores(quotaCores)} cores ran out in ${formatPercent(share)} of its periods${held}${isOften ? `: ${means}` : ''}.`;
}

/** @param {QualityItem} item */
export const describeQuality = item => say(QUALITY, item);
