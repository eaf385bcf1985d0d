/**
 * Progress of whatever takes longer than two seconds: one live line on a terminal, plain lines when
 * piped or in CI. Goes to standard error, so that standard output holds results only.
 */
import { plainLine } from '../files/plain-text.js';
import { Painted } from './io.js';

const LIVE_EVERY_MS = 500;
const PLAIN_EVERY_MS = 5000;

/**
 * @typedef {object} Progress
 * @property {boolean} isLive one line that changes; else each one stays
 * @property {(text: string) => void} update what is going on now; printed at the next tick
 * @property {(text: string) => void} say a line that stays
 * @property {() => void} stop removes the live line
 */

/** @param {Pick<import('./io.js').Io, 'stderr' | 'env'>} io @returns {Progress} */
export function startProgress({ stderr: stream, env }) {
  const live = Boolean(stream.isTTY) && !env.CI && env.TERM !== 'dumb';
  let text = '';
  let shown = '';
  const clear = () => {
    if (live && shown) stream.write(new Painted('\r\x1b[2K'));
    shown = '';
  };
  const tick = () => {
    if (text === '' || (!live && text === shown)) return;
    if (live) {
      clear();
      stream.write(plainLine(text).slice(0, Math.max(20, (stream.columns || 80) - 1)));
    } else {
      stream.write(`${text}\n`);
    }
    shown = text;
  };
  const timer = setInterval(tick, live ? LIVE_EVERY_MS : PLAIN_EVERY_MS);
  timer.unref();
  return {
    isLive: live,
    update: next => {
      text = next;
    },
    say: line => {
      clear();
      stream.write(`${line}\n`);
    },
    stop: () => {
      clearInterval(timer);
      clear();
      text = '';
    },
  };
}
