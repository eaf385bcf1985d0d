/** `loadflame init --log` and `--har`: a script with the load of recorded traffic. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse, stringify } from 'yaml';
import { LoadflameError } from '../base/errors.js';
import { appendText, makeFolder } from '../base/files/own-files.js';
import { plainLine, slugOf } from '../base/files/plain-text.js';
import { formatNumberOf } from '../base/format.js';
import { checkScript } from '../load/script/check-script.js';
import { buildLogScript } from '../load/traffic/build-log-script.js';
import { buildFlow } from '../load/traffic/capture-values.js';
import { createHostMixes } from '../load/traffic/mix.js';
import { readAccessLogs } from '../load/traffic/read-access-log.js';
import { readHar } from '../load/traffic/read-har.js';
import {
  describeJoins,
  describeLeftOut,
  describeScript,
  describeSession,
  describeTraffic,
} from '../text/traffic.js';
import { startProgress } from './io.js';

const LOCAL = /^https?:\/\/(?:localhost|127\.[\d.]+|\[::1\])(?::\d+)?$/;

/**
 * @param {string[]} logs
 * @param {import('./io.js').Io} io
 * @returns {Promise<string[]>} actions and decisions, a line each; existing files are kept
 * @throws {LoadflameError} TRAFFIC_…
 */
export async function writeLogScript(logs, io) {
  const [file, csv] = placeFiles(logs[0] ?? '');
  const present = [file, csv].filter(existsSync);
  if (present.length > 0) return present.map(one => `kept     ${one} (exists already)`);
  const mix = createHostMixes();
  const progress = startProgress(io);
  const showLines = (/** @type {number} */ lines) =>
    progress.update(`read ${formatNumberOf(lines, 'line')}`);
  const read = await readAccessLogs(logs, mix.add, showLines).finally(progress.stop);
  const traffic = mix.finish();
  if (traffic.kept === 0) {
    const data = { file: logs.join(', '), why: describeLeftOut(traffic).join('\n') };
    throw new LoadflameError('TRAFFIC_NOTHING', data);
  }
  const { script, rows } = buildLogScript(traffic, path.basename(csv));
  const names = logs.map(log => path.basename(log)).join(', ');
  const written = writeScript(
    file,
    [`GET requests of ${names}`, ...describeScript(traffic)],
    script,
  );
  const told = describeTraffic(traffic, read);
  if (rows !== '') {
    appendText(csv, rows);
    told.push(`wrote    ${csv}: look through it before you share it`);
  }
  return [...told, ...written];
}

/**
 * @param {string} har
 * @param {string} starter the script with the phases to copy
 * @returns {string[]} actions and decisions, a line each; an existing file is kept
 * @throws {LoadflameError} TRAFFIC_…
 */
export function writeHarScript(har, starter) {
  const [file] = placeFiles(har);
  if (existsSync(file)) return [`kept     ${file} (exists already)`];
  const session = readHar(har);
  if (session.exchanges.length === 0) {
    const why = describeSession(session, buildFlow(session)).join('\n');
    throw new LoadflameError('TRAFFIC_NOTHING', { file: har, why });
  }
  const made = buildFlow(session);
  const { config } = parse(readFileSync(starter, 'utf8'));
  const variables = Object.keys(made.variables).length > 0 && { variables: made.variables };
  const loadflame = { auth: made.login !== null, ...variables };
  const scenarios = [{ name: path.basename(har), flow: made.flow }];
  const braces = made.hasBraces && { variables: { brace: '{' } };
  const script = { config: { ...config, loadflame, ...braces }, scenarios };
  // Another recorded host may be production: only a user may name it as the target.
  const target = LOCAL.test(session.origin) ? session.origin : undefined;
  return [
    ...describeSession(session, made),
    ...writeScript(
      file,
      [`The session of ${path.basename(har)}`, ...describeJoins(made)],
      script,
      target,
    ),
  ];
}

/**
 * @param {string} file
 * @param {string[]} about lines for its head
 * @param {Record<string, any>} script
 * @param {string} [target] for the next command
 * @returns {string[]} what was done
 */
function writeScript(file, about, script, target = 'http://127.0.0.1:8000') {
  checkScript(/** @type {any} */ (script), { locate: at => at.join('.') }, { engine: 'loadflame' });
  const next = `loadflame test ${file} --target ${target}`;
  const head = [...about, `Run it:  ${next}`].map(line => `# ${plainLine(line)}\n`).join('');
  makeFolder(path.dirname(file));
  appendText(file, `${head}\n${stringify(script, { lineWidth: 0, aliasDuplicateObjects: false })}`);
  return [`wrote    ${file}`, `\nnext: ${next} --profile`];
}

/** @param {string} source @returns {[script: string, rows: string]} */
function placeFiles(source) {
  const name = path.basename(source).replace(/(?:\.(?:log|gz|har|json|\d+))+$/i, '');
  const file = path.join('scenarios', slugOf(name) || 'traffic');
  return [`${file}.yaml`, `${file}.csv`];
}
