/** One run of the tool itself, as a user starts it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const TOOL = path.resolve(import.meta.dirname, '../bin/loadflame.js');

/**
 * @param {string[]} args after `loadflame test`
 * @param {string} runs folder that has no run yet
 * @param {Record<string, string | undefined>} [env]
 * @returns {Promise<{run: string, report: any, said: string}>} `run`: its folder; `said`: its error output
 * @throws {Error} with its error output, if there is no run
 */
export async function runTest(args, runs, env = {}) {
  const said = await runTool(['test', ...args, '--profiles', runs], env);
  const run = path.join(runs, readdirSync(runs)[0] ?? `no run: ${said}`);
  return { run, report: readReport(run), said };
}

/**
 * A run whose files are deleted afterwards.
 * @param {object} script @param {string[]} args after the script
 * @param {string | null} keep a copy of the run goes there
 * @returns {Promise<any>} its report
 */
export async function testScript(script, args, keep) {
  const work = mkdtempSync(path.join(tmpdir(), 'runs-'));
  try {
    const file = path.join(work, 'load.json');
    writeFileSync(file, JSON.stringify(script));
    const { run, report } = await runTest([file, ...args], path.join(work, 'runs'));
    if (keep) cpSync(run, keep, { recursive: true });
    return report;
  } finally {
    rmSync(work, { recursive: true });
  }
}

/** With the code of now. @param {string} run folder of a run @returns {Promise<any>} */
export async function judgeAgain(run) {
  await runTool(['report', run]);
  return readReport(run);
}

/** @param {string} run @returns {any} */
export function readReport(run) {
  return JSON.parse(readFileSync(path.join(run, 'report.json'), 'utf8'));
}

/** @param {string[]} args @param {Record<string, string | undefined>} [env] @returns {Promise<string>} its error output */
export async function runTool(args, env) {
  const child = spawn(process.execPath, [TOOL, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...env },
  });
  let said = '';
  child.stderr.on('data', text => {
    said += text;
  });
  await once(child, 'close');
  return said;
}
