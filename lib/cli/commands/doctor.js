import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { maskSettings, readConfig } from '../../base/config/read-config.js';
import { readScripts, runChecks } from '../../experiment/preflight/checks.js';
import { exitCode } from '../exit-code.js';
import { createNamer, printJson, startProgress } from '../io.js';

/** @import { Config } from '../../base/config/read-config.js' */
/** @import { ScriptSettings } from '../../experiment/preflight/checks.js' */
/** @import { Call, Io } from '../io.js' */

/** Folder of the scripts if none is named. */
const SCENARIOS = 'scenarios';
/** Scripts of every clone that are not marked as examples. */
const STARTERS = ['my-api.yaml', 'login.yaml'];
const MARKS = { ok: 'ok  ', warn: 'warn', bad: 'FAIL', skip: '-   ' };

/** @param {Call} call */
export async function run({ args: [named], options, flags, io }) {
  const config = readConfig({ flags, env: io.env });
  const scripts = named.length > 0 ? readScripts(named, config) : readOwnScripts(config);
  if (options.printConfig) return printConfig(config, scripts, io);
  const progress = startProgress(io);
  const results = await runChecks(config, scripts, {
    insecure: options.insecure,
    onStart: check => progress.update(check.title),
    onlyCluster: options.cluster,
  });
  progress.stop();
  if (options.json) {
    printJson(io, results);
  } else {
    for (const { level, title, text, hint } of results) {
      io.stdout.write(`${MARKS[level]}  ${title}: ${text}\n`);
      if (hint) io.stdout.write(`      → ${createNamer(io)(hint)}\n`);
    }
  }
  return exitCode({ missing: results.some(({ level }) => level === 'bad') });
}

/** Examples say nothing about another API. @param {Config} config */
function readOwnScripts(config) {
  if (!existsSync(SCENARIOS)) return [];
  const names = readdirSync(SCENARIOS).filter(name => /\.(ya?ml|json)$/.test(name));
  const files = names.sort().map(name => path.join(SCENARIOS, name));
  const all = readScripts(files, config);
  const own = all.filter(({ block }) => !block?.isExample);
  return own.some(({ file }) => !STARTERS.includes(path.basename(file))) ? own : all;
}

/**
 * @param {Config} config
 * @param {ScriptSettings[]} scripts
 * @param {Io} io
 */
function printConfig(config, scripts, { stdout, stderr }) {
  const settings = maskSettings(config);
  const rows = settings.map(({ source, ...rest }) => ({ ...rest, note: source }));
  for (const { file, block, config: own } of scripts)
    for (const { name, value, source } of own ? maskSettings(own) : []) {
      if (!block?.variables.some(variable => variable.name === name)) continue;
      const isDefault = source === 'default';
      // A setting of ours that is set has the same value everywhere.
      const isSame = settings.some(item => item.name === name && item.source === source);
      const note = isDefault ? `default of ${file}` : `${source}; declared in ${file}`;
      if (isDefault || !isSame) rows.push({ name, value, note });
    }
  const width = Math.max(...rows.map(({ name }) => name.length));
  for (const { name, value, note } of rows)
    stdout.write(`${name.padEnd(width)}  ${value || '-'}  (${note})\n`);
  for (const { error } of scripts) {
    if (error) stderr.write(`${error.message}\n  → ${error.hint}\n`);
  }
}
