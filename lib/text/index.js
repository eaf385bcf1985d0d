/** The report with its words: each statement has `text` beside its id and facts. Renderers lay it out. */
import { sayBottleneck } from './bottleneck.js';
import { describeCluster } from './cluster.js';
import { describeCpuUse } from './cpu-use.js';
import { explainTying } from './endpoint-costs.js';
import { describeFailed, wordFailure } from './failures.js';
import { describeFinding } from './findings.js';
import { describeSign } from './generator-sign.js';
import { describePath, describePlaces } from './hot-path.js';
import { proveFix } from './prove-fix.js';
import { describePartial, describeQuality } from './quality.js';
import { listEvidence, withText } from './say.js';
import { describeSought } from './sought.js';
import { describeTaskWorkers } from './task-workers.js';
import { describeVerdict } from './verdict.js';
import { wordWaits } from './waits.js';
import { sayWhatIf } from './what-if.js';
import { describePhase, describeTurn } from './words.js';

/** @import { HotPath } from '../run/facts/profile-report.d.ts' */
/** @import { LoadReport } from '../run/facts/load-report.d.ts' */
/** @import { Report } from '../run/facts/report.d.ts' */
/** @import { Again } from '../run/facts/verdict.d.ts' */
/** @import { WordedLoad, WordedReport } from './worded-report.d.ts' */

/** @type {Again} */
const NOTHING_KNOWN = { words: [], missing: ['command', 'script'] };

/** @param {Report} report @returns {WordedReport} */
export function wordReport(report) {
  const { verdict, findings, quality, reliability } = report;
  const { reasons } = reliability;
  const { load, cpu, profile, costs, taskWorkers, cluster, bottleneck, whatIf } = report;
  const soughtText = describeSought(report);
  return {
    ...report,
    run: { ...report.run, reasons: report.run.reasons.map(own => withText(own, describePartial)) },
    verdict: withText(verdict, describeVerdict),
    findings: findings.map(finding =>
      withText(finding, own => ({
        ...describeFinding(own),
        proof: proveFix(own, verdict.again ?? NOTHING_KNOWN, report.run.packages),
      })),
    ),
    bottleneck: bottleneck && withText(bottleneck, sayBottleneck),
    whatIf: whatIf.map(one => withText(one, sayWhatIf)),
    quality: quality.map(item => withText(item, describeQuality)),
    reliability: { ...reliability, reasons: reasons.map(item => withText(item, describeQuality)) },
    load: load && wordLoad(load),
    cpu: cpu && withText(cpu, own => (profile ? null : describeCpuUse(own))),
    profile: profile && {
      ...profile,
      hotPaths: wordPaths(profile.hotPaths),
      causes: profile.causes.map(cause => withText(cause, wordPlaces)),
      waits: profile.waits && wordWaits(profile.waits),
      ...(soughtText && { soughtText }),
    },
    costs: costs && withText(costs, own => explainTying(own, profile)),
    taskWorkers: taskWorkers
      ? {
          ...withText(taskWorkers, describeTaskWorkers),
          hotPaths: wordPaths(taskWorkers.hotPaths),
          causes: taskWorkers.causes.map(cause => withText(cause, wordPlaces)),
        }
      : null,
    cluster: cluster ? withText(cluster, describeCluster) : null,
  };
}

/** @param {LoadReport} load @returns {WordedLoad} */
export function wordLoad({ phases, steered, failures, generator, ...others }) {
  return {
    ...others,
    phases: phases.map(phase => withText(phase, describePhase)),
    ...(steered && { steered: steered.map(turn => withText(turn, describeTurn)) }),
    failures: {
      ...withText(failures, describeFailed),
      kinds: failures.kinds.map(kind => withText(kind, wordFailure)),
    },
    generator: generator && {
      ...generator,
      signs: generator.signs.map(sign => withText(sign, describeSign)),
    },
  };
}

/** @param {Parameters<typeof describePlaces>[0]} cause */
const wordPlaces = cause => listEvidence(describePlaces(cause));

/** Gives the advice for a cause once. @param {HotPath[]} paths */
function wordPaths(paths) {
  /** @type {Set<string>} */
  const advised = new Set();
  return paths.map(path => withText(path, own => describePath(own, advised)));
}
