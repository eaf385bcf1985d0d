/**
 * How far to trust the numbers: each check reports what it measured. The reasons that make a run doubtful or
 * invalid are chosen from these.
 */
import { listPresent } from '../../../base/files/maps.js';
import { qualityItem } from '../statements.js';
import { judgeFirstRequests } from './first-requests.js';
import { judgeLoad } from './load.js';
import { judgeProfile, judgeReading } from './profile.js';
import { judgeTarget } from './target.js';
import { findInvalid } from './validity.js';

/** @import { Report } from '../../../run/facts/report.d.ts' */
/** @import { QualityData } from '../statements.js' */
/** @import { QualityItem, Reliability } from '../../../run/facts/quality.d.ts' */

/** Loose files come with nothing else. @type {QualityData} */
export const NOTHING_BESIDES = {
  torn: 0,
  totalRequests: null,
  throttling: { generator: null, target: null },
  waitsLost: [],
  warmUp: null,
  trustsAnyCluster: false,
  logsEnded: [],
};

/**
 * @param {Pick<Report, 'run' | 'load' | 'profile' | 'logs'> & Partial<Pick<Report, 'cpu' | 'costs' | 'resources' | 'calls' | 'timeline'>>} facts
 * @param {QualityData} data
 * @returns {QualityItem[]}
 */
export function judgeQuality(facts, data) {
  const { load, profile } = facts;
  const { warmUp } = data;
  const invalid = load && findInvalid(load);
  return listPresent(
    invalid && qualityItem('invalid', 'bad', { reason: invalid }),
    data.torn > 0 && qualityItem('torn', 'warn', { records: data.torn }),
    ...(profile ? [...judgeReading(profile), ...judgeProfile(profile, facts, data)] : []),
    warmUp && qualityItem('warm-up', warmUp.isSmall ? 'warn' : 'ok', warmUp),
    data.trustsAnyCluster && qualityItem('cluster-trusts-anyone', 'warn', {}),
    ...(load ? judgeLoad(load, data.totalRequests) : []),
    ...judgeFirstRequests(facts.timeline),
    ...judgeTarget(facts, data),
  );
}

/**
 * Items that cast doubt on the figures unless they are ok, the worst first. The others describe the target, or
 * figures that have a warning of their own.
 * @type {QualityItem['id'][]}
 */
const DOUBTS = [
  'invalid',
  'steered',
  'generator-limit',
  'full-machine',
  'few-responses',
  'generator-paused',
  'merged-clock',
  'throttled-generator',
  'counts-agree',
  'littles-law',
  'dropped-arrivals',
  'coordinated-omission',
  'unread',
  'frame-names',
  'samples',
  'segments',
  'sampling-errors',
  'pausing',
  'late',
  'samples-to-cpu',
  'cpu-unknown',
  'not-checked',
];

/** @param {QualityItem[]} items @returns {Reliability} */
export function judgeReliability(items) {
  const reasons = DOUBTS.flatMap(id => items.filter(item => item.id === id && item.level !== 'ok'));
  const [worst] = reasons;
  const level = !worst ? 'valid' : worst.id === 'invalid' ? 'invalid' : 'doubtful';
  return { level, reasons };
}
