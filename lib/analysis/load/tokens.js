/** What happened to tokens, and whether responses flipped from 2xx to 401. */
import { most, sum } from '../../base/math/summary.js';
import { ofKind } from '../../run/ndjson.js';

/** @typedef {import('../../run/facts/records.d.ts').RecordOf<'tokens'>} TokenRecord */

/** A flip counts if this share of the responses in the rest of the run is 401 … */
const FLIPPED_SHARE = 0.5;
/** … after at least this many good responses, with at most this share of 401 among them. */
const GOOD_BEFORE = 5;
const REFUSED_BEFORE_SHARE = 0.1;
/** … and it must hold for the first seconds of the rest too, or it started later. */
const FIRST_SECONDS = 3;

/**
 * @param {TokenRecord[]} tokens
 * @param {import('../read/load/seconds.js').Seconds} seconds of the load, for the flip
 * @returns {import('../../run/facts/load-report.d.ts').LoadReport['tokens']} null when no login was configured
 */
export function readTokenStory(tokens, seconds) {
  const [configured] = ofKind(tokens, 'configured');
  if (!configured) return null;
  const [obtained, refreshed] = [ofKind(tokens, 'obtained'), ofKind(tokens, 'refreshed')];
  const failed = ofKind(tokens, 'failed');
  const lifetimes = [...obtained, ...refreshed].flatMap(({ lifetimeSec }) => lifetimeSec ?? []);
  return {
    flow: configured.flow,
    issuer: configured.issuer,
    obtained: obtained.length,
    refreshed: refreshed.length,
    failed: failed.length,
    reason: failed.at(-1)?.message ?? null,
    ...findLate(tokens, seconds),
    lifetimeSec: lifetimes.length > 0 ? Math.min(...lifetimes) : null,
    flippedAtMs: findFlip(seconds),
  };
}

/** A 401 may be counted a second later. */
const SLACK_MS = 1000;

/**
 * The longest renewal that outlasted its token, and the 401s during the use of such tokens.
 * @param {TokenRecord[]} tokens @param {import('../read/load/seconds.js').Seconds} seconds
 */
function findLate(tokens, seconds) {
  const late = ofKind(tokens, 'late');
  if (late.length === 0) return {};
  const refused = seconds
    .entries()
    .filter(([fromMs]) =>
      late.some(({ t, expiredMs }) => fromMs > t - expiredMs - SLACK_MS && fromMs < t + SLACK_MS),
    )
    .map(([, second]) => second.refused);
  return {
    late: { renewalMs: most(late.map(one => one.renewalMs)), refused: sum(refused) },
  };
}

/**
 * The second from which responses are mostly 401 after they were good.
 * @param {import('../read/load/seconds.js').Seconds} seconds
 * @returns {number | null} epoch ms
 */
export function findFlip(seconds) {
  const answers = seconds
    .entries()
    .map(([fromMs, { refused, responses }]) => ({ fromMs, refused, total: responses }))
    .filter(({ total }) => total > 0);
  const first = answers.findIndex(({ refused }) => refused > 0);
  if (first < 0) return null;
  const before = addUp(answers.slice(0, first));
  const rest = addUp(answers.slice(first));
  // One early 401 must not hide a later flip: every second with a 401 is a candidate.
  for (let i = first; i < answers.length; i++) {
    const { refused, total, fromMs } = /** @type {typeof answers[number]} */ (answers[i]);
    const goodEnough = before.total - before.refused >= GOOD_BEFORE;
    const quietBefore = before.refused <= before.total * REFUSED_BEFORE_SHARE;
    const holds = [rest, addUp(answers.slice(i, i + FIRST_SECONDS))].every(
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
function addUp(answers) {
  const add = (/** @type {'refused' | 'total'} */ of) => sum(answers.map(one => one[of]));
  return { refused: add('refused'), total: add('total') };
}
