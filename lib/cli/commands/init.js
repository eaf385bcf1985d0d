import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { plainLine, plainText } from '../../base/files/plain-text.js';
import { quoteForShell } from '../../base/format.js';
import { listFirst } from '../../text/words.js';
import { createNamer } from '../io.js';
import { writeStarter } from '../write-starter.js';

/** @import { Call } from '../io.js' */

const PACKAGE_ROOT = path.resolve(import.meta.dirname, '../../..');

const STARTER = 'scenarios/my-api.yaml';
/** Files that suit every API; the others of scenarios/ and studies/ are examples. */
const FILES = [STARTER, 'scenarios/login.yaml', 'studies/my-api.yaml', 'envs.example.sh'];
const SKILL = 'skills/loadflame/SKILL.md';
/** The part of envs.example.sh with the variables of the examples. */
const EXAMPLE_SECTION = /\n# --- the example scenarios [\s\S]*?(?=\n# --- |$)/;

/** Of one reason. */
const MOST_NAMES = 3;

/** Secrets and measurements must not be committed. */
const IGNORED = ['node_modules/', 'envs.sh', '.env', 'profiles/'];

/** @param {Call} call */
export async function run({ options: { url, log, har, agent }, io }) {
  const named = createNamer(io);
  const say = (/** @type {string} */ line) => io.stdout.write(`${line}\n`);
  if (agent) return void say(copyFile(SKILL, named));
  if (log || har) {
    const { writeHarScript, writeLogScript } = await import('../write-traffic.js');
    const lines = log ? await writeLogScript(log, io) : [];
    if (har) lines.push(...writeHarScript(har, path.join(PACKAGE_ROOT, STARTER)));
    return void say(plainText(named(lines.join('\n'))));
  }
  if (!url) {
    const withoutExamples = (/** @type {string} */ text) => text.replace(EXAMPLE_SECTION, '');
    for (const file of FILES) say(copyFile(file, withoutExamples));
    say(ignoreFiles());
    const next = `put the requests of your API into ${STARTER}; cp envs.example.sh envs.sh, fill it in, then loadflame doctor`;
    return void say(`\nnext: ${named(next)}`);
  }
  const starter = path.join(PACKAGE_ROOT, STARTER);
  const { file, isWritten, only, why, leftOut, host } = await writeStarter(url, starter, named);
  say(isWritten ? `wrote    ${file}` : `kept     ${file} (exists already)`);
  for (const [reason, own] of Map.groupBy(leftOut, one => one.reason)) {
    const names = own.map(({ operation }) => operation);
    for (const one of listFirst(names, MOST_NAMES)) say(plainLine(`left out ${one} (${reason})`));
  }
  if (host && host !== new URL(url).host)
    say(`host     the description names ${host}; the script is for ${new URL(url).host}`);
  if (only !== null) {
    say(`only     ${only}: ${plainLine(why)}. Add the paths of your API`);
    const commands = '`loadflame init --log access.log`, `loadflame init --har session.har`';
    say(named(`         or write a script from its traffic: ${commands}`));
  }
  say(named(`\nnext: loadflame test ${quoteForShell(file)} --profile`));
}

/**
 * @param {string} file path in the package and in the working directory
 * @param {(text: string) => string} adapt
 * @returns {string} what was done
 */
function copyFile(file, adapt) {
  if (existsSync(file)) return `kept     ${file} (exists already)`;
  const text = readFileSync(path.join(PACKAGE_ROOT, file), 'utf8');
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, adapt(text));
  return `wrote    ${file}`;
}

/** @returns {string} what was done */
function ignoreFiles() {
  const file = '.gitignore';
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const lines = text.split(/\r?\n/).map(trimSlashes);
  const missing = IGNORED.filter(line => !lines.includes(trimSlashes(line)));
  if (missing.length === 0) return `kept     ${file}`;
  const gap = text === '' || text.endsWith('\n') ? '' : '\n';
  writeFileSync(file, `${text}${gap}${missing.join('\n')}\n`);
  return `added    ${missing.join(', ')} to ${file}`;
}

/** `/profiles`, `profiles/` and `profiles` ignore the same folder here. @param {string} line */
const trimSlashes = line => line.trim().replace(/^\/|\/$/g, '');
