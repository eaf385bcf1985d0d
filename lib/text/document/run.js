/** The report of a run as a document. */
import { listPresent } from '../../base/files/maps.js';
import { describeSlowest } from '../slowest.js';
import { countStates } from '../thresholds.js';
import { endSentence } from '../words.js';
import { chooseActions, describeActions } from './actions.js';
import { code, item, list, only, onPage, section } from './build.js';
import { describeActs, describeCalls } from './run-calls.js';
import { describeEndpoints } from './run-endpoints.js';
import { describeErrors, describeLoad, describeStreams } from './run-load.js';
import {
  describeBalance,
  describeBottleneck,
  describeCluster,
  describeFindings,
  describeQuality,
  describeRunInfo,
} from './run-machine.js';
import { describePlans } from './run-plans.js';
import { describeCpu, describeGarbage, describeTaskWorkers } from './run-profile.js';
import { describeSource } from './run-source.js';

/** @import { WordedThreshold } from '../thresholds.js' */
/** @import { WordedReport } from '../worded-report.d.ts' */
/** @import { Document, Section } from './document.d.ts' */

/** Outside of the page, causes are shown with their hot paths, and the bottleneck in the verdict. */
const SHOWN_ELSEWHERE = ['cause', 'bottleneck'];
const MOST_SHORT = 3;

/**
 * @param {WordedReport} report
 * @param {WordedThreshold[]} [thresholds]
 * @returns {Document}
 */
export function describeRun(report, thresholds = []) {
  const { verdict, run, findings, balance, cluster, taskWorkers, profile } = report;
  const others = findings.filter(({ id }) => !SHOWN_ELSEWHERE.includes(id));
  const { level, text } = verdict;
  const said = findSaid(report);
  const actions = chooseActions(findings);
  const left = findings.filter(own => !actions.includes(own));
  const news = left.filter(own => !said.includes(own));
  const serious = others.filter(
    one => news.includes(one) && (one.severity === 'bad' || one.severity === 'warn'),
  );
  const why = run.status === 'partial' && run.reasons.map(reason => reason.text).join('; ');
  return {
    headline: {
      level,
      text: text.headline,
      doubt: text.doubt,
      sentences: [...(why ? [endSentence(`Partial, because ${why}`)] : []), ...text.sentences],
    },
    sections: listPresent(
      describeActions(actions, said, text.headline),
      only(['short'], describeFindings(serious, MOST_SHORT)),
      describeLoad(report),
      describeStreams(report),
      // Endpoints and samples of a selection are drawn by the page itself.
      only(['short', 'full'], describeEndpoints(report)),
      only(['short', 'full'], describeCalls(report)),
      only(profile?.samples.active ? ['short', 'full'] : undefined, describeCpu(report)),
      describeGarbage(report),
      describeActs(report),
      describeSource(report),
      describePlans(report),
      describeSlowest(report),
      describeTaskWorkers(taskWorkers),
      describeBalance(balance),
      describeCluster(cluster),
      describeBottleneck(report),
      only(['full'], describeFindings(others)),
      onPage(describeFindings([...news, ...left.filter(own => !news.includes(own))], news.length)),
      describeErrors(report),
      describeQuality(report),
      describeThresholds(thresholds),
      ...describeRunInfo(report),
    ),
    page: 'report.html',
  };
}

/** What the first lines say: the headline, the doubt above it, or a sentence below. @param {WordedReport} report */
function findSaid({ findings, verdict: { headline, doubt, text } }) {
  const led = headline.id === 'finding' ? headline.facts : null;
  const waste = led?.waste && { id: 'cause', of: led.waste.cause.id };
  const named = [led?.finding, led?.counted, waste, doubt].map(one =>
    findings.find(own => own.id === one?.id && own.of === one.of),
  );
  const isSaid = (/** @type {string} */ title) => text.sentences.some(own => title.startsWith(own));
  return findings.filter(own => named.includes(own) || isSaid(own.text.title));
}

/** @type {Record<WordedThreshold['status'], ['good' | 'bad' | 'unknown' | 'none', string]>} */
const STATES = {
  pass: ['good', ''],
  fail: ['bad', 'failed: '],
  uncertain: ['unknown', 'uncertain: '],
  unknown: ['none', ''],
};

/** @param {WordedThreshold[]} results @returns {Section | null} */
export function describeThresholds(results) {
  const items = results.map(({ status, expression, endpoint, text }) => {
    const [level, word] = STATES[status];
    const of = endpoint === null ? [] : [code(endpoint), ': '];
    return item([...of, code(expression), ` (${word}${text})`], { level });
  });
  return section('thresholds', `Thresholds: ${countStates(results)}`, list(items));
}
