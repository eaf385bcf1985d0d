import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { LoadflameError } from '../../errors.js';
import { createNamer, quoteForShell } from '../io.js';
import { writeStarter } from '../write-starter.js';

/** @import { Call } from '../io.js' */

const PACKAGE_ROOT = path.resolve(import.meta.dirname, '../../..');

/** npm scripts, as the clone has them; of those that run a script, one is enough for another API. */
const COMMANDS = ['python:profile', 'report', 'compare', 'study', 'doctor'];
const LOADS = ['tests:all', 'tests:profile'];
const EXAMPLE_LOADS = ['tests:all', 'tests:http', 'tests:socket', 'tests:profile'];

/** What suits every API; the other files of scenarios/ are one example, and belong together. */
const STARTER = 'scenarios/my-api.yaml';
const STUDY = 'studies/my-api.yaml';
const GENERAL = [STARTER, 'scenarios/login.yaml'];
/** The part of envs.example.sh with the variables of the example. */
const EXAMPLE_SECTION = /\n# --- the example scenarios [\s\S]*?(?=\n# --- |$)/;

/** Secrets and measurements must not be committed. */
const IGNORED = ['node_modules/', 'envs.sh', '.env', 'profiles/'];

/** @param {Call} call */
export async function run({ options: { example = false, url }, io }) {
  const named = createNamer(io);
  if (url) {
    const starter = path.join(PACKAGE_ROOT, STARTER);
    const { file, isWritten, only, leftOut } = await writeStarter(url, starter, named);
    io.stdout.write(isWritten ? `wrote    ${file}\n` : `kept     ${file} (exists already)\n`);
    for (const { operation, reason } of leftOut)
      io.stdout.write(`left out ${operation} (${reason})\n`);
    if (only !== null)
      io.stdout.write(`only     ${only}: there is no openapi.json; add the paths of your API\n`);
    io.stdout.write(named(`\nnext: loadflame test ${quoteForShell(file)} --profile\n`));
    return;
  }
  for (const line of initFolder(process.cwd(), example)) io.stdout.write(`${line}\n`);
  const edit = example ? '' : `put the requests of your API into ${STARTER}; `;
  const next = `${edit}cp envs.example.sh envs.sh, fill it in, then loadflame doctor`;
  io.stdout.write(`\nnext: ${named(next)}\n`);
}

/**
 * @param {string} folder
 * @param {boolean} isExample the demo API's scenarios, too
 * @returns {string[]} what was done, a line each
 * @throws {LoadflameError} INIT_NO_PACKAGE
 */
function initFolder(folder, isExample) {
  const packageFile = path.join(folder, 'package.json');
  const { manifest, indent } = readPackage(packageFile);
  const wanted = listScripts(isExample);
  const done = [];

  if (existsSync(path.join(folder, 'scenarios'))) done.push('kept     scenarios/ (exists already)');
  else if (isExample) {
    cpSync(path.join(PACKAGE_ROOT, 'scenarios'), path.join(folder, 'scenarios'), {
      recursive: true,
    });
    done.push('wrote    scenarios/');
  } else {
    for (const file of GENERAL) cpSync(path.join(PACKAGE_ROOT, file), path.join(folder, file));
    done.push(`wrote    ${GENERAL.join(', ')}`);
  }

  if (existsSync(path.join(folder, 'studies'))) done.push('kept     studies/ (exists already)');
  else {
    cpSync(path.join(PACKAGE_ROOT, STUDY), path.join(folder, STUDY));
    done.push(`wrote    ${STUDY}`);
  }

  const example = path.join(folder, 'envs.example.sh');
  if (existsSync(example)) done.push('kept     envs.example.sh (exists already)');
  else {
    const text = readFileSync(path.join(PACKAGE_ROOT, 'envs.example.sh'), 'utf8');
    writeFileSync(example, isExample ? text : text.replace(EXAMPLE_SECTION, ''));
    done.push('wrote    envs.example.sh');
  }

  const ignoreFile = path.join(folder, '.gitignore');
  const ignored = existsSync(ignoreFile) ? readFileSync(ignoreFile, 'utf8') : '';
  const lines = ignored.split(/\r?\n/).map(trimSlashes);
  const missing = IGNORED.filter(line => !lines.includes(trimSlashes(line)));
  if (missing.length > 0) {
    const gap = ignored === '' || ignored.endsWith('\n') ? '' : '\n';
    writeFileSync(ignoreFile, `${ignored}${gap}${missing.join('\n')}\n`);
    done.push(`added    ${missing.join(', ')} to .gitignore`);
  }

  const scripts = manifest.scripts ?? {};
  const added = Object.keys(wanted).filter(name => !(name in scripts));
  const kept = Object.keys(wanted).filter(
    name => name in scripts && scripts[name] !== wanted[name],
  );
  if (added.length > 0) {
    manifest.scripts = { ...wanted, ...scripts };
    writeFileSync(packageFile, `${JSON.stringify(manifest, null, indent)}\n`);
    done.push(`added    npm scripts ${added.join(', ')}`);
  }
  if (kept.length > 0) done.push(`kept     your own npm scripts ${kept.join(', ')}`);
  return done;
}

/** npm scripts of the clone, for a repository with loadflame among its packages. @param {boolean} isExample */
function listScripts(isExample) {
  const { manifest } = readPackage(path.join(PACKAGE_ROOT, 'package.json'));
  /** @param {string} name @returns {string} */
  const inPackage = name =>
    (manifest.scripts?.[name] ?? '').replace('node scripts/run.js bin/loadflame.js', 'loadflame');
  const entries = [...(isExample ? EXAMPLE_LOADS : LOADS), ...COMMANDS].map(name => {
    const command = inPackage(name);
    return [name, isExample ? command : command.replace(/scenarios\/\S+/, STARTER)];
  });
  return /** @type {Record<string, string>} */ (Object.fromEntries(entries));
}

/** `/profiles`, `profiles/` and `profiles` ignore the same folder here. @param {string} line */
function trimSlashes(line) {
  return line.trim().replace(/^\/|\/$/g, '');
}

/**
 * @param {string} file
 * @returns {{manifest: {scripts?: Record<string, string>}, indent: string}} `indent` as the file has it
 */
function readPackage(file) {
  try {
    const text = readFileSync(file, 'utf8');
    return { manifest: JSON.parse(text), indent: /^[ \t]+/m.exec(text)?.[0] ?? '  ' };
  } catch (cause) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (cause);
    const reason = code === 'ENOENT' ? 'it does not exist' : message;
    throw new LoadflameError('INIT_NO_PACKAGE', { file, reason }, { cause });
  }
}
