/** `findLimitingStage(stages)`: which stage of a pipeline holds the others up. */
import { formatCount, formatNumberOf, formatRate } from '../../format.js';

/**
 * @typedef {object} StageBacklog in the order of the pipeline
 * @property {string} name
 * @property {import('../../analysis/report.d.ts').Estimate | null} slope of what waits before it, per second
 * @property {number} meanBacklog
 * @property {number | null} servers how many work at it at a time
 */
/** @typedef {{name: string, kind: 'growing' | 'standing', text: string}} LimitingStage */

/**
 * Ways to tell, the surest first. Work piles up before the slowest stage, and what comes after it gets
 * no more than it lets through: of several piles that grow the last is the limit's. Where the load
 * waits for its own work (a closed loop) the pile does not grow but stands, and the stages around the
 * limit have short ones of chance: it is the highest, for its number of servers.
 */
const SIGNS = [
  {
    kind: /** @type {const} */ ('growing'),
    /** @param {StageBacklog[]} stages */
    find: stages => stages.findLast(({ slope }) => slope?.low != null && slope.low > 0),
    /** @param {StageBacklog} stage */
    tell: ({ slope }) => `what waits before it grows by ${formatRate(slope?.value ?? null)}`,
  },
  {
    kind: /** @type {const} */ ('standing'),
    /** More wait than are worked at: each server has its next one at hand. @param {StageBacklog[]} stages */
    find: stages =>
      stages
        .filter(stage => perServer(stage) > 1)
        .toSorted((a, b) => perServer(b) - perServer(a))[0],
    /** @param {StageBacklog} stage */
    tell: ({ meanBacklog }) => `${formatCount(meanBacklog)} wait before it on average`,
  },
];

/** @param {StageBacklog} stage */
function perServer({ meanBacklog, servers }) {
  return meanBacklog / Math.max(1, servers ?? 1);
}

/**
 * @param {StageBacklog[]} stages
 * @returns {LimitingStage | null} null: nothing piles up, so the pipeline is not the limit
 */
export function findLimitingStage(stages) {
  for (const { kind, find, tell } of SIGNS) {
    const stage = find(stages);
    if (!stage) continue;
    const after = stages.slice(stages.indexOf(stage) + 1).map(({ name }) => name);
    const servers = stage.servers === null ? '' : ` (${formatNumberOf(stage.servers, 'server')})`;
    const rest = after.length > 0 ? `, and no more than that comes to ${after.join(' and ')}` : '';
    return {
      name: stage.name,
      kind,
      text: `${stage.name}${servers} is the limit: ${tell(stage)}${rest}`,
    };
  }
  return null;
}
