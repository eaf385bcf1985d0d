/** Waits of a recording that a test writes down as stacks. */
import { classifyProfile } from '../../../../lib/analysis/hotpath/classify-profile.js';
import { loadRules } from '../../../../lib/analysis/hotpath/load-rules.js';
import { analyseProfile } from '../../../../lib/analysis/profile/analyse-profile.js';
import { buildWaits } from '../../../../lib/analysis/profile/waits/waits.js';
import { parseRaw } from '../../../helpers/parse-raw.js';
import { BOOT, EXECUTE } from '../../request-stacks.js';

export const rules = await loadRules();

export const PROCESS = 'process 7:"gunicorn"';
export const MAIN =
  'thread (1): MainThread;run (gunicorn/workers/gthread.py:400);EpollSelector.select (selectors.py:468)';
export const IDLE = `${BOOT};_worker (concurrent/futures/thread.py:81)`;
export const QUERY = `${EXECUTE};do_execute (sqlalchemy/engine/default.py:924)`;

/** @param {[pid: number, stack: string, count: number][]} lines @param {'running' | 'all'} [threads] */
export const raw = (lines, threads) =>
  parseRaw(
    lines.map(([pid, stack, n]) => `${PROCESS};process ${pid}:"gunicorn";${stack} ${n}\n`).join(''),
    threads,
  );

/**
 * @param {Parameters<typeof raw>[0]} looks
 * @param {Parameters<typeof raw>[0]} running at 50 Hz, in 20 s
 * @param {Partial<Parameters<typeof buildWaits>[0]>} [more]
 */
export function waitsOf(looks, running, more = {}) {
  const profile = { ...raw(running), rateHz: 50 };
  const all = raw(looks, 'all');
  const built = buildWaits({
    looks: all,
    classification: classifyProfile(all, rules),
    rateHz: 5,
    running: profile,
    analysis: analyseProfile({ profile, rules, masterPid: 7 }),
    sampledMs: 20_000,
    rules,
    masterPid: 7,
    threads: 4,
    scheduled: [],
    lengthMs: 20_000,
    ...more,
  });
  return built?.waits ?? null;
}

/** @param {ReturnType<typeof waitsOf>} waits */
export const sharesOf = waits => new Map(waits?.kinds.map(({ id, share }) => [id, share.value]));

export const LOOP = 'thread (1): MainThread;run_forever (asyncio/base_events.py:607)';
export const STEP = `${LOOP};run_asgi (uvicorn/protocols/http/h11_impl.py:1);list_rows (api/views.py:12)`;

/** @param {number} count @param {string} route @param {...string} stack */
export const shown = (count, route, ...stack) =>
  `thread (5);show_awaits (loadflame_companion.py:640);3590000000 (<loadflame time>:1);${[count, route, ...stack].join('\t')} (<loadflame await>:1)`;
