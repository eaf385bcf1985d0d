import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { isProcessAlive } from '../../lib/base/process/process-table.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

/** Of a job: tokens, and the names of files that change its later steps. */
const HIDDEN = [
  ...['GITHUB_TOKEN', 'GITHUB_ENV', 'GITHUB_PATH', 'GITHUB_OUTPUT', 'GITHUB_STATE'],
  ...['ACTIONS_RUNTIME_TOKEN', 'ACTIONS_ID_TOKEN_REQUEST_TOKEN', 'ACTIONS_ID_TOKEN_REQUEST_URL'],
  ...['CI_JOB_TOKEN', 'GATE_TOKEN', 'NPM_TOKEN', 'NODE_OPTIONS', 'OTHER_SETTING'],
];
const MEASURE = path.resolve(import.meta.dirname, '../../ci/measure.js');

/**
 * A repository with a commit on main and one on a branch.
 * @param {import('node:test').TestContext} t
 * @param {string} [branch]
 */
function makeRepository(t, branch = 'change') {
  const folder = makeTempFolder(t);
  const git = (/** @type {string[]} */ ...args) =>
    execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio: 'pipe' }).trim();
  git('init', '--quiet', '--initial-branch=main');
  git('config', 'user.email', 'a@b.test');
  git('config', 'user.name', 'A');
  for (const [text, name] of [
    ['old', 'main'],
    ['new', branch],
  ]) {
    git('checkout', '--quiet', '-B', name ?? '');
    writeFileSync(path.join(folder, 'version'), text ?? '');
    git('add', '.');
    git('commit', '--quiet', '-m', text ?? '');
  }
  return { folder, git };
}

/** @param {import('node:test').TestContext} t @param {string} cwd @param {Record<string, string>} env */
async function measure(t, cwd, env) {
  const results = makeTempFolder(t);
  const { exitCode, stdout, stderr } = await execa(process.execPath, [MEASURE], {
    cwd,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: cwd,
      GATE_SCRIPT: 'http://127.0.0.1:9/',
      GATE_COMMAND: 'false',
      GATE_FOLDER: results,
      ...env,
    },
    extendEnv: false,
    reject: false,
  });
  const file = path.join(results, 'summary.md');
  const summary = existsSync(file) ? readFileSync(file, 'utf8') : null;
  const written = path.join(results, 'gate.json');
  const facts = existsSync(written) ? JSON.parse(readFileSync(written, 'utf8')) : null;
  return { exit: exitCode, stdout, stderr, summary, facts };
}

test('runs the set-up in base and change with the declared variables only, and leaves no worktree', async t => {
  const { folder, git } = makeRepository(t);
  const log = path.join(makeTempFolder(t), 'log');
  const { exit, summary } = await measure(t, folder, {
    GATE_BASE: 'main',
    GATE_ENV: 'DATABASE_URL  SHOP_MODE',
    GATE_SETUP: `cat version >> ${log}; env | cut -d= -f1 | sort | tr '\\n' ' ' >> ${log}; grep -q old version`,
    ...{ DATABASE_URL: 'sqlite:', SHOP_MODE: 'test', TARGET: 'http://127.0.0.1:9', LANG: 'C' },
    ...Object.fromEntries(HIDDEN.map(name => [name, 'hidden'])),
  });
  assert.equal(exit, 3);
  // A shell adds the last three.
  const names = 'DATABASE_URL HOME LANG PATH PWD SHLVL SHOP_MODE TARGET _';
  const seen = readFileSync(log, 'utf8').replaceAll(/ $/gm, '');
  assert.equal(seen.replaceAll(' new', '\nnew'), `old${names}\nnew${names}`);
  assert.match(
    summary ?? '',
    /^\*\*Not measured\*\* \(exit code 3\)\.\n\n {4}the set-up of head failed/,
  );
  assert.equal(git('worktree', 'list').split('\n').length, 1);
});

test('what a set-up prints is in the facts and the summary without secrets, escapes and headings', async t => {
  const { folder } = makeRepository(t);
  const lines = [
    'fatal: https://builder:kn0wn-Zebra-17@pypi.example/simple',
    'aws_secret_access_key=oTher-Zebra-18/xyz',
    'using third-Zebra-19 for the index',
    'a\\r# head\\r\\n![x](https://evil.test/i.png)\\r\\033[31m@team\\033[0m',
  ];
  const { facts, summary } = await measure(t, folder, {
    GATE_BASE: 'main',
    DEPLOY_TOKEN: 'third-Zebra-19',
    GATE_SETUP: `printf '${lines.join('\\n')}' >&2; exit 1`,
  });
  assert.doesNotMatch(`${JSON.stringify(facts)}${summary}`, /Zebra/);
  assert.match(summary ?? '', /^ {4}using \[redacted\] for the index$/m);
  const [, block = ''] = /\n\n(.*)\n\n`/s.exec(summary ?? '') ?? [];
  for (const line of block.split(/\r\n?|\n/)) assert.match(line, /^ {4}/);
  assert.match(block, /^ {4}# head$/m);
  assert.ok(!block.includes('\u001b'));
  assert.deepEqual([facts.schema, facts.exitCode, facts.comparison], ['loadflame-gate/1', 3, null]);
});

test('measures from where the change branched off, and runs no branch name as a command', async t => {
  // A shell would read `${IFS}` as a space, which no branch may have.
  const name = ['$(touch', 'hacked)`touch', 'hacked`;touch', 'hacked'].join('$'.concat('{IFS}'));
  const { folder, git } = makeRepository(t, name);
  git('checkout', '--quiet', 'main');
  writeFileSync(path.join(folder, 'version'), 'newer base');
  git('commit', '--quiet', '-am', 'newer base');
  git('checkout', '--quiet', name);
  const event = path.join(makeTempFolder(t), 'event.json');
  const pull = {
    base: { sha: git('rev-parse', 'main') },
    head: { sha: 'f'.repeat(40), ref: name },
  };
  writeFileSync(event, JSON.stringify({ pull_request: { ...pull, title: name } }));
  const { exit, stderr } = await measure(t, folder, {
    GITHUB_EVENT_PATH: event,
    GITHUB_HEAD_REF: name,
    GATE_SETUP: 'echo "version $(cat version)" >&2; exit 9',
  });
  assert.equal(exit, 3);
  assert.match(stderr, /^version old$/m);
  assert.ok(!existsSync(path.join(folder, 'hacked')));
});

test('refuses a missing or unknown base, or an option, and says what to set', async t => {
  const { folder } = makeRepository(t);
  const cases = [
    [{}, /no base to compare with: set GATE_BASE/],
    [{ GATE_BASE: 'never' }, /git does not know never: .*fetch-depth: 0/],
    [{ GATE_BASE: '--output=hacked' }, /git does not know --output=hacked/],
    [{ GATE_BASE: 'main', GATE_COMMAND: '' }, /GATE_COMMAND is not set/],
  ];
  for (const [env, message] of /** @type {[Record<string, string>, RegExp][]} */ (cases)) {
    const { exit, stderr, summary } = await measure(t, folder, env);
    assert.equal(exit, 2);
    assert.match(stderr, message);
    assert.match(summary ?? '', message);
  }
  assert.ok(!existsSync(path.join(folder, 'hacked')));
});

test('output of a set-up cannot be a command to GitHub, and its end is in the job summary', async t => {
  const { folder } = makeRepository(t);
  const file = path.join(makeTempFolder(t), 'summary');
  const { stdout } = await measure(t, folder, {
    ...{ GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: file, GATE_BASE: 'main' },
    GATE_SETUP: 'echo "::add-path::/tmp"; echo "~~~ no module x" >&2; exit 1',
  });
  const [first = '', middle, last] = stdout.split('\n');
  const [, pause] = /^::stop-commands::([\w-]{36})$/.exec(first) ?? [];
  assert.deepEqual([middle, last], ['::add-path::/tmp', `::${pause}::`]);
  assert.match(readFileSync(file, 'utf8'), /^ {4}~~~ no module x$/m);
});

test('a cancelled job leaves no program and no worktree', async t => {
  const { folder, git } = makeRepository(t);
  const log = path.join(makeTempFolder(t), 'pid');
  const child = execa(process.execPath, [MEASURE], {
    cwd: folder,
    env: {
      ...{ GATE_SCRIPT: 'http://127.0.0.1:9/', GATE_COMMAND: 'false', GATE_BASE: 'main' },
      ...{
        GATE_FOLDER: makeTempFolder(t),
        GATE_SETUP: `sleep 60 & echo $! > ${log}.new; mv ${log}.new ${log}; wait`,
      },
    },
    reject: false,
  });
  while (!existsSync(log)) await sleep(20);
  assert.equal(git('worktree', 'list').split('\n').length, 2);
  child.kill('SIGTERM');
  const { exitCode, stderr } = await child;
  assert.equal(exitCode, 130, stderr);
  assert.equal(git('worktree', 'list').split('\n').length, 1);
  // It ends a moment after the shell that started it.
  const pid = Number(readFileSync(log, 'utf8'));
  for (let waits = 0; waits < 250 && isProcessAlive(pid); waits++) await sleep(20);
  assert.ok(!isProcessAlive(pid));
});

test('how much runs varied is kept from one gate to the next, and files that are none are left out', async t => {
  const { folder } = makeRepository(t);
  const [noise, results] = [makeTempFolder(t), makeTempFolder(t)];
  const write = (/** @type {string} */ name, root = noise) => {
    mkdirSync(path.join(root, name), { recursive: true });
    for (const file of ['plan.json', 'journal.ndjson'])
      writeFileSync(path.join(root, name, file), name);
    return name;
  };
  const known = Array.from({ length: 19 }, (_, at) => write(`20260101-1010${10 + at}-try-shop`));
  const linked = write('20260202-101010-try-linked');
  rmSync(path.join(noise, linked, 'plan.json'));
  symlinkSync('/etc/hostname', path.join(noise, linked, 'plan.json'));
  const own = write('20270101-101010-try-shop', folder);
  const list = path.join(makeTempFolder(t), 'list');
  const runs = path.join(results, 'runs');
  await measure(t, folder, {
    ...{ GATE_BASE: 'main', GATE_FOLDER: results, GATE_NOISE: noise },
    // Instead of a try that ends with runs
    GATE_SETUP: 'true',
    GATE_COMMAND: `ls ${runs} > ${list}; cp -r ${path.join(folder, own)} ${runs}; false`,
  });
  const shown = readFileSync(list, 'utf8').trim().split('\n');
  assert.deepEqual(
    shown.filter(name => name.startsWith('20260')),
    known,
  );
  assert.deepEqual(readdirSync(runs), [own]);
  assert.deepEqual(readdirSync(noise), [...known, linked, own]);
  assert.equal(readFileSync(path.join(noise, own, 'journal.ndjson'), 'utf8'), own);
});

test('the first gate measures how much equal sides differ, and its try knows it', async t => {
  const { folder } = makeRepository(t);
  const [noise, results] = [makeTempFolder(t), makeTempFolder(t)];
  const own = path.join(makeTempFolder(t), '20270101-101010-try-shop');
  mkdirSync(own);
  for (const file of ['plan.json', 'journal.ndjson']) writeFileSync(path.join(own, file), '{}');
  const list = path.join(makeTempFolder(t), 'list');
  const { stderr } = await measure(t, folder, {
    ...{ GATE_BASE: 'main', GATE_FOLDER: results, GATE_NOISE: noise, GATE_SETUP: 'true' },
    // Instead of a try that ends with runs
    GATE_COMMAND: `test -d ../equal && cp -r ${own} ../equal; ls ${results}/runs > ${list}; false`,
  });
  assert.match(stderr, /^first gate on this runner: /m);
  assert.ok(readFileSync(list, 'utf8').includes(path.basename(own)));
  assert.ok(readdirSync(noise).includes(path.basename(own)));
});
