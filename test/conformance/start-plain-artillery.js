/** Artillery as anybody installs it, with nothing of ours in it: the reference. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { startChild } from '../../lib/base/process/child.js';

const require = createRequire(import.meta.url);
const manifest = require.resolve('artillery/package.json');
const PROGRAM = path.join(path.dirname(manifest), 'bin', 'run');

/** @returns {string} */
export function artilleryVersion() {
  return JSON.parse(readFileSync(manifest, 'utf8')).version;
}

/**
 * @param {import('./run-script.js').Start} start
 * @returns {Promise<import('./run-script.js').Started>}
 */
export async function startPlainArtillery({ script, env, output }) {
  const args = [
    'run',
    path.basename(script.file),
    '--output',
    output,
    ...asArguments(script.flags),
  ];
  const child = startChild(process.execPath, [PROGRAM, ...args], {
    cwd: path.dirname(script.file),
    env: { ...env, ARTILLERY_DISABLE_TELEMETRY: 'true', NO_COLOR: '1', FORCE_COLOR: '0' },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  let text = '';
  for (const stream of [child.process.stdout, child.process.stderr]) {
    stream?.on('data', chunk => {
      text += chunk;
    });
  }
  return {
    ended: child.ended,
    stop: () => child.stop({ signal: 'SIGKILL' }),
    text: () => text,
  };
}

/** @param {Record<string, any>} flags */
function asArguments(flags) {
  return Object.entries(flags).flatMap(([name, value]) => {
    const flag = `--${name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`;
    if (value === true) return [flag];
    return [flag, typeof value === 'object' ? JSON.stringify(value) : String(value)];
  });
}
