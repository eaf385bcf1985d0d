import { copyFileSync, cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { LoadflameError } from '../../errors.js';

const PACKAGE_ROOT = path.resolve(import.meta.dirname, '../../..');

/** What `npm run …` does in a repository that uses loadflame as a package. */
const SCRIPTS = {
  'tests:all': 'exec loadflame test scenarios/csr-all.yaml',
  'tests:http': 'exec loadflame test scenarios/csr-http.yaml',
  'tests:socket': 'exec loadflame test scenarios/csr-socket.yaml',
  'tests:profile': 'exec loadflame test scenarios/csr-all.yaml --profile',
  'python:profile': 'exec loadflame profile',
  'python:top': 'exec loadflame top',
  report: 'exec loadflame report',
  compare: 'exec loadflame compare',
  study: 'exec loadflame study run',
  doctor: 'exec loadflame doctor',
};

/** Secrets and measurements are nobody's to commit. */
const IGNORED = ['node_modules/', 'envs.sh', '.env', 'profiles/'];

/** @param {import('commander').Command} program */
export function addInitCommand(program) {
  program
    .command('init')
    .description(
      'write scenarios/, envs.example.sh, .gitignore lines and npm scripts into this repository; what is there already is kept',
    )
    .addHelpText(
      'after',
      `
Examples:
  npm install --save-dev --ignore-scripts ./loadflame-0.1.0.tgz && npx loadflame init
  cp envs.example.sh envs.sh     then fill it in, and run: npm run doctor`,
    )
    .action(() => {
      for (const line of initFolder(process.cwd())) process.stdout.write(`${line}\n`);
      process.stdout.write('\nnext: cp envs.example.sh envs.sh, fill it in, then npm run doctor\n');
    });
}

/**
 * @param {string} folder
 * @returns {string[]} what was done, a line each
 * @throws {LoadflameError} INIT_NO_PACKAGE
 */
function initFolder(folder) {
  const packageFile = path.join(folder, 'package.json');
  const { manifest, indent } = readPackage(packageFile);
  const done = [];

  const scenarios = path.join(folder, 'scenarios');
  if (existsSync(scenarios)) done.push('kept     scenarios/ (there already)');
  else {
    cpSync(path.join(PACKAGE_ROOT, 'scenarios'), scenarios, { recursive: true });
    done.push('wrote    scenarios/');
  }

  const example = path.join(folder, 'envs.example.sh');
  if (existsSync(example)) done.push('kept     envs.example.sh (there already)');
  else {
    copyFileSync(path.join(PACKAGE_ROOT, 'envs.example.sh'), example);
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
  const added = Object.entries(SCRIPTS).filter(([name]) => !(name in scripts));
  const kept = Object.keys(SCRIPTS).filter(
    name =>
      name in scripts && scripts[name] !== SCRIPTS[/** @type {keyof typeof SCRIPTS} */ (name)],
  );
  if (added.length > 0) {
    manifest.scripts = { ...scripts, ...Object.fromEntries(added) };
    writeFileSync(packageFile, `${JSON.stringify(manifest, null, indent)}\n`);
    done.push(`added    npm scripts ${added.map(([name]) => name).join(', ')}`);
  }
  if (kept.length > 0) done.push(`kept     your own npm scripts ${kept.join(', ')}`);
  return done;
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
    const reason = code === 'ENOENT' ? 'there is none' : message;
    throw new LoadflameError('INIT_NO_PACKAGE', { file, reason }, { cause });
  }
}
