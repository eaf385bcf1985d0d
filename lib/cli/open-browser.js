import { spawn } from 'node:child_process';
import { inheritEnvironment } from '../base/process/bare-environment.js';

/** @import { Io } from './io.js' */

/**
 * @param {string} page a file, because every user of the machine can read the arguments of a program
 * @param {string | null} browser
 * @param {Io} io
 * @returns {boolean} false if there is no desktop
 */
export function openBrowser(page, browser, { stdout, env }) {
  const onMac = process.platform === 'darwin';
  if (!browser && !onMac && !env.DISPLAY && !env.WAYLAND_DISPLAY) return false;
  const program = browser ?? (onMac ? 'open' : 'xdg-open');
  const child = spawn(program, [page], {
    detached: true,
    stdio: 'ignore',
    env: inheritEnvironment().env,
  });
  child.on('error', () => stdout.write(`${page}\n`));
  child.unref();
  return true;
}
