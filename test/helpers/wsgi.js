/** A real gunicorn with the companion, and what its responses report. */
import { startGunicorn } from './gunicorn.js';
import { COMPANION_FILE } from './joined-companion.js';

const APP = 'companion_app:app';
/** What the companion adds to the header Server-Timing. */
export const OURS =
  /^total;dur=(\d+\.\d{3}), cpu;dur=(\d+\.\d{3}), worker;desc="([0-9a-f]{8}-\d+)\.(\d+)", around;dur=(\d+\.\d{3})(?:, ended;dur=\d+\.\d{3})?, now;dur=(\d{13}\.\d), companion;desc="[\d.]+"(?:, pools;desc="[^"]+")?(?:, gc;desc="[^"]+")?(?:, paused;dur=[\d.]+)?(?:, route;desc="\/[^"]*")?$/;

/**
 * @param {{after: (end: () => unknown) => void}} t
 * @param {{workers?: number, args?: string[], env?: Record<string, string>, config?: string, app?: string}} [options]
 */
export function startApp(
  t,
  { workers = 2, args = [], env = { LOADFLAME: '1' }, config = COMPANION_FILE, app = APP } = {},
) {
  const environment = { ...env, PYTHONDONTWRITEBYTECODE: '1' };
  return startGunicorn(t, {
    workers,
    args: ['-c', config, ...args],
    env: environment,
    app,
  });
}

/** @param {string} url */
export async function timingOf(url) {
  const response = await fetch(url);
  const body = await response.text();
  const timing = response.headers.get('server-timing') ?? '';
  const [, totalMs, cpuMs, instance, pid, aroundMs] = OURS.exec(timing) ?? [];
  return {
    ...{ response, body, timing, instance, pid },
    ...{ totalMs: Number(totalMs), cpuMs: Number(cpuMs), aroundMs: Number(aroundMs) },
  };
}
