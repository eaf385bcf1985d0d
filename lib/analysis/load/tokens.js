/** What happened to tokens, and whether answers flipped from 2xx to 401. */
import { most } from '../../math/summary.js';

/** A flip is believed when this share of the answers in the rest of the run is 401 … */
const FLIPPED_SHARE = 0.5;
/** … after at least so many good answers before it, of which at most this share was 401. */
const GOOD_BEFORE = 5;
const REFUSED_BEFORE_SHARE = 0.1;
/** … and it must hold for the first seconds of the rest too, or it began later. */
const FIRST_SECONDS = 3;

/**
 * @param {Record<string, any>[]} tokens records of `load/tokens.ndjson`
 * @param {import('./seconds.js').Seconds} seconds of the load, for the flip
 * @returns {import('../../facts/load-report.d.ts').LoadReport['tokens']} null when no login was configured
 */
export function readTokenStory(tokens, seconds) {
  const configured = tokens.find(({ kind }) => kind === 'configured');
  if (!configured) return null;
  const count = (/** @type {string} */ wanted) =>
    tokens.filter(({ kind }) => kind === wanted).length;
  const lifetimes = tokens.flatMap(({ lifetimeSec }) => lifetimeSec ?? []);
  return {
    flow: configured.flow,
    issuer: configured.issuer,
    obtained: count('obtained'),
    refreshed: count('refreshed'),
    failed: count('failed'),
    reason: tokens.findLast(({ kind }) => kind === 'failed')?.message ?? null,
    ...findLate(tokens, seconds),
    lifetimeSec: lifetimes.length > 0 ? Math.min(...lifetimes) : null,
    flippedAtMs: findFlip(seconds),
  };
}

/** A 401 may be counted a second later. */
const SLACK_MS = 1000;

/**
 * The longest renewal that outlasted its token, and the 401s while such tokens were used.
 * @param {Record<string, any>[]} tokens @param {import('./seconds.js').Seconds} seconds
 */
function findLate(tokens, seconds) {
  const late = tokens.filter(({ kind }) => kind === 'late');
  if (late.length === 0) return {};
  const refused = seconds
    .entries()
    .filter(([fromMs]) =>
      late.some(({ t, expiredMs }) => fromMs > t - expiredMs - SLACK_MS && fromMs < t + SLACK_MS),
    )
    .map(([, second]) => second);
  return {
    late: {
      renewalMs: most(late.map(one => one.renewalMs)),
      refused: sum(refused.map(one => ({ refused: one.refused, total: 0 }))).refused,
    },
  };
}

/**
 * The second from which on answers are mostly 401 where they were good before.
 * @param {import('./seconds.js').Seconds} seconds
 * @returns {number | null} epoch ms
 */
export function findFlip(seconds) {
  const answers = seconds
    .entries()
    .map(([fromMs, { refused, responses }]) => ({ fromMs, refused, total: responses }))
    .filter(({ total }) => total > 0);
  const first = answers.findIndex(({ refused }) => refused > 0);
  if (first < 0) return null;
  const before = sum(answers.slice(0, first));
  const rest = sum(answers.slice(first));
  // One early 401 must not hide the flip that comes later: every second with a 401 is a candidate.
  for (let i = first; i < answers.length; i++) {
    const { refused, total, fromMs } = /** @type {typeof answers[number]} */ (answers[i]);
    const goodEnough = before.total - before.refused >= GOOD_BEFORE;
    const quietBefore = before.refused <= before.total * REFUSED_BEFORE_SHARE;
    const holds = [rest, sum(answers.slice(i, i + FIRST_SECONDS))].every(
      part => part.refused >= part.total * FLIPPED_SHARE,
    );
    if (refused > 0 && goodEnough && quietBefore && holds) return fromMs;
    before.refused += refused;
    before.total += total;
    rest.refused -= refused;
    rest.total -= total;
  }
  return null;
}

/** @param {{refused: number, total: number}[]} answers */
function sum(answers) {
  return answers.reduce(
    (all, { refused, total }) => ({ refused: all.refused + refused, total: all.total + total }),
    { refused: 0, total: 0 },
  );
}
