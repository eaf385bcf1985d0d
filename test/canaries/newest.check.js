/**
 * Canaries: some tests with the newest release of what loadflame builds on, in a copy of this clone. What they find is
 * printed and fails nothing: a release of others is not a defect of ours yet.
 */
import assert from 'node:assert/strict';
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { execa } from 'execa';
import { startChild } from '../../lib/base/process/child.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

/** @import { Readable } from 'node:stream' */

const ROOT = path.resolve(import.meta.dirname, '../..');

/** With another package a test may hang. */
const FLAGS = ['--test', '--test-concurrency=3', '--test-reporter=spec'];
const TEST_MS = 20_000;
/** Of a canary, in which some may hang. */
const TESTS = 6;

/** @type {{name: string, add: (name: string, folder: string) => Promise<string>, tests: string[], testMs?: number}[]} */
const CANARIES = [
  { name: 'artillery', add: addPackage, tests: ['test/load/artillery.check.js'] },
  {
    name: 'gunicorn',
    add: addToPython,
    tests: ['test/record/target/*.{test,check}.js', 'test/demo/servers.check.js'],
  },
  { name: 'py-spy', add: addToPython, tests: ['test/record/profiler/*.test.js'] },
  // Routes are named, and calls are counted.
  {
    name: 'fastapi starlette django flask sqlalchemy[asyncio] httpx2 psycopg[binary] redis uvicorn-worker gunicorn',
    add: addToPython,
    testMs: 30_000,
    tests: [
      'test/companion/{route-apps,calls}.check.js',
      'test/companion/calls/{connections,follow,places}.test.js',
    ],
  },
];

for (const { name, add, tests, testMs = TEST_MS } of CANARIES)
  test(`the newest ${name}`, async t => {
    for (const pattern of tests) assert.ok(globSync(pattern, { cwd: ROOT }).length > 0, pattern);
    const folder = await copyClone(makeTempFolder(t));
    const version = await add(name, folder);
    const { NODE_TEST_CONTEXT, ...env } = process.env;
    const child = startChild(process.execPath, [...FLAGS, `--test-timeout=${testMs}`, ...tests], {
      cwd: folder,
      env: { ...env, PATH: `${path.join(folder, '.venv/bin')}:${env.PATH}` },
      extendEnv: false,
      groupGraceMs: 1000,
    });
    const limit = setTimeout(() => child.stop({ graceMs: 1000 }), TESTS * testMs);
    const stdout = await text(/** @type {Readable} */ (child.process.stdout));
    const { exitCode } = await child.ended;
    clearTimeout(limit);
    const failed = stdout.matchAll(/^\s*✖ (?!failed)(.*?)(?: \([\d.]+ms\))?$/gm);
    const titles = [...new Set([...failed].map(([, title]) => title))].filter(
      title => title !== 'failing tests:',
    );
    const count = /^ℹ tests (\d+)/m.exec(stdout)?.[1] ?? '0';
    const result =
      exitCode === 0 ? 'pass' : [`${titles.length} fail`, ...titles.slice(0, 3)].join('; ');
    t.diagnostic(`${name} ${version}: ${count} tests: ${result}`);
    assert.match(version, /^\d+\./);
  });

/** The files of the clone, and links to each package. @param {string} parent */
async function copyClone(parent) {
  const folder = path.join(parent, 'clone');
  // A test becomes another user, who has to read our modules.
  chmodSync(parent, 0o755);
  const { stdout } = await execa(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    { cwd: ROOT },
  );
  for (const file of stdout.split('\0').filter(file => file && existsSync(path.join(ROOT, file))))
    cpSync(path.join(ROOT, file), path.join(folder, file));
  symlinkSync(path.join(ROOT, '.tools'), path.join(folder, '.tools'));
  for (const packages of ['node_modules', 'demo/node_modules'])
    linkAll(path.join(ROOT, packages), path.join(folder, packages));
  linkAll(path.join(ROOT, '.venv/bin'), path.join(folder, '.venv/bin'));
  return folder;
}

/** @param {string} from @param {string} to a new folder, with a link to each entry, and to those of `@scope` folders */
function linkAll(from, to) {
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from))
    if (name.startsWith('@')) linkAll(path.join(from, name), path.join(to, name));
    else symlinkSync(path.join(from, name), path.join(to, name));
}

/** @param {string} name of a package of npm @param {string} folder @returns {Promise<string>} its version */
async function addPackage(name, folder) {
  const apart = path.join(folder, '..', 'package');
  mkdirSync(apart);
  const { overrides } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  writeFileSync(path.join(apart, 'package.json'), JSON.stringify({ private: true, overrides }));
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  await execa('npm', ['install', '--ignore-scripts', ...quiet, `${name}@latest`], { cwd: apart });
  rmSync(path.join(folder, 'node_modules', name));
  symlinkSync(path.join(apart, 'node_modules', name), path.join(folder, 'node_modules', name));
  const code = `console.log(require('${name}/package.json').version)`;
  return (await execa(process.execPath, ['-e', code], { cwd: folder })).stdout;
}

/** @param {string} names of packages for Python @param {string} folder @returns {Promise<string>} their versions */
async function addToPython(names, folder) {
  const venv = path.join(folder, '.venv');
  rmSync(venv, { recursive: true });
  await execa('python3', ['-m', 'venv', venv]);
  const python = path.join(venv, 'bin', 'python');
  const findPackages = 'import sysconfig; print(sysconfig.get_path("purelib"))';
  const site = await ask(python, findPackages);
  const pinned = await ask(path.join(ROOT, '.venv/bin/python'), findPackages);
  // What stands in the environment itself goes before it.
  writeFileSync(path.join(site, 'pinned.pth'), `${pinned}\n`);
  const packages = names.split(' ');
  // One alone has what it needs among the pinned ones.
  const alone = packages.length === 1 ? ['--no-deps'] : [];
  const install = ['-m', 'pip', 'install', '--quiet', '--ignore-installed', ...alone];
  await execa(python, [...install, ...packages]);
  for (const program of readdirSync(path.join(ROOT, '.venv/bin')))
    if (!existsSync(path.join(venv, 'bin', program)))
      symlinkSync(path.join(ROOT, '.venv/bin', program), path.join(venv, 'bin', program));
  const plain = packages.map(name => JSON.stringify(name.replace(/\[.*/, '')));
  return ask(python, `import importlib.metadata as m; print(*map(m.version, [${plain}]))`);
}

/** @param {string} python @param {string} code that prints */
async function ask(python, code) {
  return (await execa(python, ['-c', code])).stdout;
}
