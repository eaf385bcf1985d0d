import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { execa } from 'execa';
import { makeTempFolder } from '../helpers/temp-folder.js';
import { startFakeServer } from './fake-servers.js';

/** @import { TestContext } from 'node:test' */
/** @import { FakeServer } from './fake-servers.js' */

const COMMENT = path.resolve(import.meta.dirname, '../../ci/comment.js');
const MARK = '<!-- loadflame gate loadflame -->';
const REPOSITORY = { full_name: 'shop/api' };
const PULL = { number: 12, head: { repo: REPOSITORY }, base: { repo: REPOSITORY } };
/** @type {import('../../lib/run/facts/gate.d.ts').GateFacts} */
const FACTS = {
  ...{ schema: 'loadflame-gate/1', exitCode: 3, base: 'a1', head: 'b2', comparison: null },
  output: 'no module x',
};
const ON_GITLAB = { CI_MERGE_REQUEST_IID: '12', CI_PROJECT_ID: '3' };

/**
 * Runs the step with facts in a folder of its own.
 * @param {TestContext} t
 * @param {FakeServer} server
 * @param {{event?: object, env?: Record<string, string>, facts?: object, token?: string, run?: typeof runHere}} [options]
 */
async function comment(t, { url }, options = {}) {
  const { event, env = {}, facts = FACTS, token, run = runHere } = options;
  const folder = makeTempFolder(t);
  writeFileSync(path.join(folder, 'gate.json'), JSON.stringify(facts));
  const file = path.join(folder, 'event.json');
  writeFileSync(file, JSON.stringify(event ?? { pull_request: PULL }));
  const output = await run({
    GATE_FOLDER: folder,
    ...(token !== '' && { GATE_TOKEN: token ?? 'secret-token' }),
    ...(env.CI_MERGE_REQUEST_IID
      ? { CI_API_V4_URL: url }
      : { GITHUB_API_URL: url, GITHUB_REPOSITORY: 'shop/api', GITHUB_EVENT_PATH: file }),
    ...env,
  });
  assert.ok(!output.includes('secret-token'));
  return output;
}

let runs = 0;
/** As its program, in this process: a new module each time. @param {Record<string, string>} env all that it sees */
async function runHere(env) {
  const { env: before } = process;
  const { log } = console;
  /** @type {string[]} */
  const lines = [];
  process.env = env;
  console.log = line => lines.push(line);
  runs += 1;
  try {
    await import(`${COMMENT}?${runs}`);
  } finally {
    process.env = before;
    console.log = log;
  }
  return lines.join('\n');
}

/** As a build server does. @type {typeof runHere} */
async function runProgram(env) {
  const options = { env, extendEnv: false, reject: false, all: true };
  const { all, exitCode } = await execa(process.execPath, [COMMENT], options);
  assert.equal(exitCode, 0, 'a comment never fails a build');
  return all ?? '';
}

for (const [name, env, list] of /** @type {const} */ ([
  ['GitHub', {}, '/repos/shop/api/issues/12/comments'],
  ['GitLab', ON_GITLAB, '/projects/3/merge_requests/12/notes'],
])) {
  test(`on ${name}, the second run updates the comment of the first`, async t => {
    const server = await startFakeServer(t, { tellsSelf: name === 'GitLab' });
    for (let at = 0; at < 130; at++) server.write(`talk ${at}`, 1);
    server.write(`${MARK}\nof somebody who knows the mark`, 1);
    assert.equal(await comment(t, server, { env, run: runProgram }), 'comment posted');
    assert.equal(
      await comment(t, server, { env, facts: { ...FACTS, output: 'later' } }),
      'comment updated',
    );
    assert.equal(server.comments.length, 132);
    const [start, end] = [
      `${MARK}\n**Not measured** (exit code 3).\n\n    later\n`,
      '`a1` → `b2`. ',
    ];
    assert.ok(server.comments.at(-1)?.body.startsWith(`${start}\n${end}`));
    assert.match(server.comments.at(-2)?.body ?? '', /somebody who knows/);
    const writes = server.requests.filter(request => !request.startsWith('GET'));
    const update = name === 'GitHub' ? 'PATCH /repos/shop/api/issues/comments' : `PUT ${list}`;
    assert.deepEqual(writes, [`POST ${list}`, `${update}/231`]);
  });
}

test('two gates of one repository have separate comments', async t => {
  const server = await startFakeServer(t);
  await comment(t, server, { env: { GATE_NAME: 'orders' } });
  await comment(t, server, { env: { GATE_NAME: '--> users' } });
  assert.deepEqual(
    server.comments.map(({ body }) => body.split('\n')[0]),
    ['<!-- loadflame gate orders -->', '<!-- loadflame gate ----users -->'],
  );
});

test('posts nothing for a fork, without a token, or without a pull request', async t => {
  const server = await startFakeServer(t);
  const fork = { ...PULL, head: { repo: { full_name: 'stranger/api' } } };
  assert.match(await comment(t, server, { event: { pull_request: fork } }), /comes from a fork/);
  const gone = { ...PULL, head: { repo: null } };
  assert.match(await comment(t, server, { event: { pull_request: gone } }), /comes from a fork/);
  assert.match(await comment(t, server, { token: '' }), /GATE_TOKEN is not set/);
  assert.match(await comment(t, server, { event: {} }), /not a pull request/);
  assert.match(await comment(t, server, { env: ON_GITLAB, token: '' }), /GATE_TOKEN is not set/);
  assert.deepEqual(server.requests, []);
});

test('a token that may not comment is a warning, on one line', async t => {
  const server = await startFakeServer(t, { refuses: true });
  assert.equal(
    await comment(t, server, { env: { GITHUB_ACTIONS: 'true' }, run: runProgram }),
    '::warning::no comment: POST /repos/shop/api/issues/12/comments: 403 Resource not accessible by integration',
  );
});

test('a second workflow finds the pull request of a fork by branch and commit, and quotes the fork as code', async t => {
  const pulls = [
    { number: 4, head: { sha: 'older' } },
    { number: 5, head: { sha: 'measured' } },
  ];
  const server = await startFakeServer(t, { pulls });
  const run = {
    head_branch: 'fix&state=closed',
    head_repository: { owner: { login: 'stranger' } },
  };
  const address = 'https://github.example/shop/api/actions/runs/7';
  const event = { workflow_run: { ...run, head_sha: 'measured', html_url: address } };
  const facts = { ...FACTS, output: 'faster, says @team', base: '@team`' };
  assert.equal(await comment(t, server, { event, facts }), 'comment posted');
  assert.ok(server.requests.includes('POST /repos/shop/api/issues/5/comments'));
  const { body = '' } = server.comments[0] ?? {};
  assert.match(body, /These figures come from the run of a fork/);
  assert.ok(body.includes('\n\n    faster, says @team\n\n`` @team` `` → `b2`. '));
  assert.ok(body.includes(`[this run](${address})`));
  const other = { workflow_run: { ...run, head_sha: 'unknown' } };
  assert.match(await comment(t, server, { event: other }), /belongs to no open pull request/);
});

test('posts nothing of facts that it cannot trust, and says why', async t => {
  const server = await startFakeServer(t);
  const facts = { ...FACTS, comparison: { verdict: '# head' } };
  assert.match(await comment(t, server, { facts }), /^no comment: gate\.json: comparison must /);
  const env = { GATE_FOLDER: makeTempFolder(t) };
  assert.equal(await comment(t, server, { env }), 'no comment: there is no gate.json');
  assert.deepEqual(server.requests, []);
});
