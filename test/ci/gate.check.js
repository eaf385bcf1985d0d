/**
 * The steps of both actions and of ci/gitlab.yml, run as their build servers run them, on a repository whose change
 * makes each request slower: real installs, real gunicorn, real py-spy.
 */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { before, test } from 'node:test';
import { execa } from 'execa';
import { parse } from 'yaml';
import { findFreePort } from '../helpers/gunicorn.js';
import { endWithFile, makeTempFolder } from '../helpers/temp-folder.js';
import { startFakeServer } from './fake-servers.js';

/** @import { FakeServer } from './fake-servers.js' */

const ROOT = path.resolve(import.meta.dirname, '../..');
const PYTHON = path.join(ROOT, '.venv');

/** @param {number} times that each request sorts */
const app = times => `from flask import Flask, jsonify

app = Flask(__name__)
PRICES = [(n * 7919) % 10007 for n in range(5000)]


def cheapest():
    for _ in range(${times}):
        prices = sorted(PRICES)
    return prices[:3]


@app.get("/orders")
def orders():
    return jsonify(cheapest=cheapest())


@app.get("/health")
def health():
    return "ok"
`;

const LOAD = `config:
  target: "{{ $env.TARGET }}"
  phases: [{ duration: 10, users: 4 }]
scenarios:
  - flow: [{ get: { url: /orders } }, { get: { url: /health } }]
`;

/**
 * What GitHub checks out for a pull request: a merge of the change into its base, which has gone on meanwhile.
 * @param {string} folder
 */
async function makePullRequest(folder) {
  mkdirSync(folder);
  const git = async (/** @type {string[]} */ ...args) =>
    (await execa('git', args, { cwd: folder })).stdout;
  const commit = async (/** @type {string} */ text) => {
    await git('add', '.');
    await git('commit', '--quiet', '-m', text);
    return git('rev-parse', 'HEAD');
  };
  await git('init', '--quiet', '--initial-branch=main');
  await git('config', 'user.email', 'a@b.test');
  await git('config', 'user.name', 'A');
  writeFileSync(path.join(folder, 'app.py'), app(4));
  writeFileSync(path.join(folder, 'load.yaml'), LOAD);
  writeFileSync(path.join(folder, '.gitignore'), '.venv\n');
  await commit('Add orders');
  await git('checkout', '--quiet', '-b', 'more-prices');
  writeFileSync(path.join(folder, 'app.py'), app(16));
  const head = await commit('Sort more');
  await git('checkout', '--quiet', 'main');
  writeFileSync(path.join(folder, 'README.md'), 'Orders\n');
  const base = await commit('Add a page');
  await git('checkout', '--quiet', '--detach');
  await git('merge', '--quiet', '--no-ff', '-m', 'Merge', 'more-prices');
  return { git, base, head };
}

/** @type {string} */
let work;
/** @type {Awaited<ReturnType<typeof makePullRequest>>} */
let request;
/** @type {FakeServer} */
let github;
/** @type {number} */
let port;
/** @type {Record<string, string>} */
let runner;

const t = endWithFile();
before(async () => {
  work = makeTempFolder(t);
  request = await makePullRequest(path.join(work, 'api'));
  github = await startFakeServer(t);
  port = await findFreePort();
  await execa('git', ['clone', '--quiet', ROOT, path.join(work, 'action')]);
  mkdirSync(path.join(work, 'temp'));
  // Registries are reached as this machine reaches them.
  const { NODE_TEST_CONTEXT: _, ...own } = process.env;
  runner = {
    .../** @type {Record<string, string>} */ (own),
    GITHUB_ACTIONS: 'true',
    GITHUB_API_URL: github.url,
    GITHUB_EVENT_NAME: 'pull_request',
    GITHUB_EVENT_PATH: path.join(work, 'event.json'),
    GITHUB_REPOSITORY: 'shop/api',
    GITHUB_RUN_ID: '88',
    GITHUB_SERVER_URL: 'https://github.example',
    GITHUB_STEP_SUMMARY: path.join(work, 'step-summary.md'),
    RUNNER_TEMP: path.join(work, 'temp'),
  };
});

/** @param {string} repository where the change comes from */
function writeEvent(repository) {
  const pull = {
    number: 12,
    base: { sha: request.base, repo: { full_name: 'shop/api' } },
    head: { sha: request.head, ref: 'more-prices', repo: { full_name: repository } },
  };
  writeFileSync(path.join(work, 'event.json'), JSON.stringify({ pull_request: pull }));
}

/**
 * Runs a step of an action with its environment.
 * @param {string} name
 * @param {Record<string, string>} inputs
 * @param {string} [place] of the action in the repository
 */
async function runStep(name, inputs, place = '') {
  const action = parse(readFileSync(path.join(ROOT, place, 'action.yml'), 'utf8'));
  const step = action.runs.steps.find((/** @type {any} */ one) => one.name === name);
  /** @type {Record<string, string>} */
  const values = { 'runner.temp': runner.RUNNER_TEMP ?? '' };
  for (const [input, { default: fallback = '' }] of Object.entries(action.inputs))
    values[`inputs.${input}`] = inputs[input] ?? fallback;
  const fill = (/** @type {string} */ text) =>
    text.replace(/\$\{\{ ([\w.]+) \}\}/g, (_, key) => values[key] ?? assert.fail(key));
  const env = Object.entries(/** @type {Record<string, string>} */ (step.env ?? {}));
  return execa('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run], {
    cwd: path.join(work, 'api'),
    env: {
      ...{ ...runner, GITHUB_ACTION_PATH: path.join(work, 'action', place) },
      ...Object.fromEntries(env.map(([key, value]) => [key, fill(value)])),
    },
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
  });
}

const results = () => path.join(work, 'temp/loadflame-gate');

test('the action finds the slow change, and its second run updates the comment of the first', async () => {
  writeEvent('shop/api');
  const inputs = {
    script: 'load.yaml',
    command: `.venv/bin/gunicorn --threads 2 --bind 127.0.0.1:${port} app:app`,
    target: `http://127.0.0.1:${port}`,
    setup: `ln -sfn ${PYTHON} .venv`,
    max: '5m',
    options: '--duration 5 --warm-up-duration 1',
  };
  const installed = await runStep('Install loadflame and py-spy', inputs);
  assert.equal(installed.exitCode, 0, `${installed.stderr}${installed.stdout}`);
  const measured = await runStep('Measure', inputs);
  assert.equal(measured.exitCode, 5, `${measured.stderr}${measured.stdout}`);

  const summary = readFileSync(path.join(results(), 'summary.md'), 'utf8');
  assert.equal(readFileSync(path.join(work, 'step-summary.md'), 'utf8'), summary);
  assert.match(summary, /[Hh]ead is worse/);
  assert.match(summary, /cheapest/);
  const noise = path.join(work, 'temp/loadflame-noise');
  assert.equal(readdirSync(noise).length, 2, 'equal sides, and the change');
  assert.ok(
    summary.includes(`\`${request.base.slice(0, 10)}\` → \`${request.head.slice(0, 10)}\``),
  );
  assert.ok(summary.includes('(https://github.example/shop/api/actions/runs/88)'));
  assert.match(readFileSync(path.join(results(), 'junit.xml'), 'utf8'), /<failure /);

  const again = await runStep('Install loadflame', {}, 'ci/comment');
  assert.equal(again.exitCode, 0, `${again.stderr}${again.stdout}`);
  for (const done of ['comment posted', 'comment updated'])
    assert.equal((await runStep('Comment', { token: 'secret-token' }, 'ci/comment')).stdout, done);
  assert.equal(github.comments.length, 1);
  assert.ok(github.comments[0]?.body.endsWith(summary));

  assert.equal((await request.git('worktree', 'list')).split('\n').length, 1);
  assert.equal(await request.git('status', '--porcelain'), '');
  await assert.rejects(fetch(`http://127.0.0.1:${port}`), 'the server is stopped');
  if (process.env.GATE_SHOW) console.log(github.comments[0]?.body);
});

test('a pull request of a fork has summary and results, and no comment', async () => {
  writeEvent('stranger/api');
  github.requests.length = 0;
  const { exitCode, stdout } = await runStep('Comment', { token: '' }, 'ci/comment');
  assert.equal(exitCode, 0);
  assert.match(stdout, /^no comment: the pull request comes from a fork/);
  assert.deepEqual(github.requests, []);
  assert.match(readFileSync(path.join(results(), 'summary.md'), 'utf8'), /[Hh]ead is worse/);
});

test('the jobs of the GitLab template measure and post a note, also if a set-up fails', async t => {
  const gitlab = await startFakeServer(t, { tellsSelf: true });
  const jobs = parse(readFileSync(path.join(ROOT, 'ci/gitlab.yml'), 'utf8'));
  const prefix = path.join(makeTempFolder(t), 'global');
  mkdirSync(path.join(prefix, 'lib/node_modules'), { recursive: true });
  symlinkSync(path.join(work, 'action'), path.join(prefix, 'lib/node_modules/loadflame'));
  /** @param {string} name @param {Record<string, string>} env */
  const runJob = (name, env) =>
    execa('bash', ['-eo', 'pipefail', '-c', jobs[name].script.at(-1)], {
      cwd: path.join(work, 'api'),
      env: {
        ...{ PATH: process.env.PATH ?? '', HOME: work, npm_config_prefix: prefix },
        ...{ CI_API_V4_URL: gitlab.url, CI_MERGE_REQUEST_IID: '3', CI_PROJECT_ID: '9' },
        ...{ CI_MERGE_REQUEST_DIFF_BASE_SHA: request.base, CI_COMMIT_SHA: request.head },
        ...Object.fromEntries(
          Object.entries(jobs[name].variables).map(([key, value]) => [key, String(value)]),
        ),
        ...{ GATE_FOLDER: path.join(work, 'gitlab') },
        ...env,
      },
      extendEnv: false,
      reject: false,
      stdin: 'ignore',
    });
  const measured = await runJob('loadflame', { GATE_SETUP: 'test ! -e README.md || exit 4' });
  assert.equal(measured.exitCode, 3, measured.stderr);
  const posted = await runJob('loadflame-comment', { GATE_TOKEN: 'secret-token' });
  assert.equal(posted.stdout, 'comment posted');
  assert.match(
    gitlab.comments[0]?.body ?? '',
    /\*\*Not measured\*\* \(exit code 3\)\.\n\n {4}the set-up of base failed \(exit code 4\)/,
  );
});
