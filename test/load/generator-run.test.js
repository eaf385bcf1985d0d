import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { LoadflameError } from '../../lib/base/errors.js';
import { serve } from '../helpers/listen.js';
import { needs } from '../helpers/needs.js';
import { test } from '../helpers/quiet.js';
import { makeFolder, readLoad, startTestLoad } from './helpers.js';

/** A server that keeps what it was asked for. @param {import('node:test').TestContext} t */
async function listen(t) {
  /** @type {string[]} */
  const urls = [];
  const target = await serve(t, (request, response) => {
    urls.push(decodeURIComponent(String(request.url)));
    response.end('{}');
  });
  return { target, urls };
}

test('a generator keeps to the cores that it is given', { skip: needs('taskset') }, async t => {
  const { target } = await listen(t);
  const allowed = (/** @type {number | 'self'} */ pid) =>
    /Cpus_allowed_list:\s*(\S+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '';
  const [first = ''] = allowed('self').split(/[-,]/);
  const { running } = await startTestLoad(makeFolder(t), {
    script: `
config: { target: "${target}", phases: [{ duration: 1, users: 40 }] }
scenarios: [{ flow: [{ get: { url: / } }, { think: 0.2 }] }]
`,
    settings: {},
    options: { cpus: first },
  });
  const kept = allowed(running.pid);
  await running.ended;
  assert.equal(kept, first);
});

test('a context is the one that Artillery makes: payloads, variables, functions, templates', async t => {
  const { target, urls } = await listen(t);
  const folder = makeFolder(t);
  const { running, files } = await startTestLoad(folder, {
    script: `
config:
  target: "${target}"
  environments: { staging: { variables: { place: "here-{{ $environment }}" } } }
  payload:
    - { path: rows.csv, fields: [id, word], order: sequence, skipHeader: true }
    - { path: all.csv, fields: [n], name: everything, loadAll: true }
  variables: { only: [one] }
  processor: ./hooks.ts
  phases: [{ duration: 1, arrivalCount: 3 }]
scenarios:
  - { name: never, weight: 0, flow: [{ get: { url: /never } }] }
  - name: chosen
    beforeScenario: look
    flow:
      - get:
          url: "/{{ id }}/{{ word }}/{{ place }}/{{ only }}/{{ everything[1].n }}/{{ $env.WHERE }}"
      - get: { url: "/{{ $randomNumber(3, 3) }}/{{ $randomString(4) }}/{{ looked }}" }
`,
    files: {
      'rows.csv': 'id,word\n1,a\n2,b\n',
      'all.csv': '10\n20\n',
      // Node does not add the ending of an import.
      'hooks.ts': `import { Kind } from './kind';
export const look = async (context: any) => {
  const { vars, scenario, _uid } = context;
  const same = vars.$uuid === _uid && vars.target === '${target}';
  vars.looked = [Kind.Good, scenario.name, same, vars.$testId.slice(0, 1), vars.$scenarioFile.endsWith('script.yaml')].join('-');
};`,
      'kind.ts': "export const Kind = { Good: 'good' } as const;",
    },
    settings: { WHERE: 'there' },
    options: { environment: 'staging' },
    workers: 1,
  });
  const end = await running.ended;
  const { counters } = await readLoad(files);
  assert.equal(end.exitCode, 0, end.logTail);
  assert.deepEqual(
    urls.filter(url => url.includes('there')),
    ['1/a', '2/b', '1/a'].map(row => `/${row}/here-staging/one/20/there`),
  );
  const [second] = urls.filter(url => url.startsWith('/3/'));
  assert.match(String(second), /^\/3\/[A-Za-z0-9]{4}\/good-chosen-true-t-true$/);
  assert.equal(counters['vusers.created_by_name.chosen'], 3);
});

test('two workers divide rows, arrivals and users; one scenario can be chosen; a phase waits for the clock', async t => {
  const { target, urls } = await listen(t);
  const { running, files } = await startTestLoad(makeFolder(t), {
    script: `
config:
  target: "${target}"
  payload: { path: rows.csv, fields: [id], order: sequence }
  phases:
    - { duration: 1, arrivalRate: 6 }
    - { duration: 1, users: 3, name: loop }
scenarios:
  - { name: other, flow: [{ get: { url: /other } }] }
  - { name: this one, flow: [{ get: { url: "/{{ id }}" } }, { think: 0.2 }] }
`,
    files: { 'rows.csv': '1\n2\n3\n4\n' },
    settings: {},
    options: { scenarioName: 'this', wholeSecondAfterMs: 1000 },
    workers: 2,
  });
  const end = await running.ended;
  const { records, counters } = await readLoad(files);
  assert.equal(end.reason, 'complete', end.logTail);
  const open = urls.slice(0, 6);
  assert.deepEqual([...new Set(open)].sort(), ['/1', '/2', '/3', '/4']);
  assert.ok(!urls.includes('/other'));
  const looped = Number(counters['vusers.created']) - 6;
  // Three users, about five times 0.2 s each.
  assert.ok(looped >= 9 && looped <= 15, String(looped));
  const phases = records.filter(({ kind }) => kind.startsWith('phase-'));
  assert.deepEqual(
    phases.map(({ kind, index, name }) => [kind, index, name]),
    [
      ['phase-start', 0, 'phase 1'],
      ['phase-end', 0, 'phase 1'],
      ['phase-start', 1, 'loop'],
      ['phase-end', 1, 'loop'],
    ],
  );
  assert.equal(phases[2]?.spec.users, 3);
  // What is counted per second is of the whole phase then.
  assert.deepEqual(
    [Number(phases[2]?.t) % 1000, Number(phases[3]?.t) - Number(phases[2]?.t)],
    [0, 1000],
  );
  const start = records.find(({ kind }) => kind === 'load-start');
  assert.deepEqual([start?.engine, start?.workers], ['loadflame', 2]);
  const watched = records.filter(({ kind }) => kind === 'generator');
  assert.deepEqual([...new Set(watched.map(({ worker }) => worker))].sort(), [1, 2]);
  assert.equal(
    watched.reduce((sum, { arrivals }) => sum + arrivals, 0),
    counters['vusers.created'],
  );
});

const FLOWS = `
config: { target: "{{ $env.TARGET }}", processor: ./hooks.cjs, phases: [{ duration: 1, arrivalCount: 2 }] }
before: { flow: [{ post: { url: /login, json: {} } }, { function: remember }] }
after: { flow: [{ get: { url: "/bye/{{ kept }}" } }, { function: recall }] }
scenarios: [{ flow: [{ get: { url: "/{{ kept }}" } }] }]
`;
const HOOKS = `
let memory;
exports.remember = (context, events, done) => { memory = 'm'; context.vars.kept = 'k'; done(); };
exports.recall = (context, events, done) => { console.log('recalled', memory); done(FAIL); };
`;

test('before and after run once, in one thread; what before left reaches users and after', async t => {
  const { target, urls } = await listen(t);
  const { running, files } = await startTestLoad(makeFolder(t), {
    script: FLOWS,
    files: { 'hooks.cjs': HOOKS.replace('FAIL', '') },
    settings: { TARGET: target },
    workers: 2,
  });
  const end = await running.ended;
  assert.deepEqual([end.reason, end.exitCode], ['complete', 0], end.logTail);
  assert.deepEqual(urls, ['/login', '/k', '/k', '/bye/k']);
  assert.match(readFileSync(files.generatorLog, 'utf8'), /recalled m/);
  const { counters } = await readLoad(files);
  assert.equal(counters['http.requests'], 2, 'the load is what scenarios send');
});

test('reports a failing after flow, with exit code 1', async t => {
  const { target } = await listen(t);
  const { running, heard } = await startTestLoad(makeFolder(t), {
    script: FLOWS,
    files: { 'hooks.cjs': HOOKS.replace('FAIL', "new Error('no way back')") },
    settings: { TARGET: target },
  });
  const { notes } = heard;
  const end = await running.ended;
  assert.deepEqual([end.reason, end.exitCode], ['complete', 1], end.logTail);
  assert.deepEqual(notes, ['the `after` flow failed: no way back']);
});

test('a before flow that fails ends the run before the load', async t => {
  const { target, urls } = await listen(t);
  const start = startTestLoad(makeFolder(t), {
    script: FLOWS.replace('url: /login', 'url: "http://127.0.0.1:1/login"'),
    files: { 'hooks.cjs': HOOKS },
    settings: { TARGET: target },
  });
  await assert.rejects(start, error => {
    assert.ok(error instanceof LoadflameError);
    assert.equal(error.code, 'LOAD_NOT_STARTED');
    assert.match(error.message, /the `before` flow failed: .*ECONNREFUSED/);
    return true;
  });
  assert.deepEqual(urls, []);
});

test('reports an unloadable processor before the load', async t => {
  const start = startTestLoad(makeFolder(t), {
    script: FLOWS.replace(/before:.*\n/, ''),
    files: { 'hooks.cjs': 'syntax error here' },
    settings: { TARGET: 'http://127.0.0.1:1' },
  });
  await assert.rejects(start, /the processor .*hooks\.cjs cannot be loaded: Unexpected identifier/);
});

test('what `log` steps and hooks print is passed on, the first lines of each second, redacted', async t => {
  const { target } = await listen(t);
  const { running, files, heard } = await startTestLoad(makeFolder(t), {
    script: `
config: { target: "${target}", processor: ./hooks.cjs, phases: [{ duration: 1, arrivalCount: 1 }] }
before: { flow: [{ log: from before }] }
scenarios: [{ flow: [{ log: "user of my-secret" }, { function: say }] }]
`,
    files: {
      'hooks.cjs':
        "exports.say = async () => { for (let i = 0; i < 59; i++) console.error('hook %d', 7); };",
    },
    settings: {},
    secrets: { OIDC_CLIENT_SECRET: 'my-secret' },
    workers: 1,
  });
  const { lines } = heard;
  const end = await running.ended;
  assert.equal(end.reason, 'complete', end.logTail);
  assert.deepEqual(lines.slice(0, 3), ['from before', 'user of [redacted]', 'hook 7']);
  const more = lines.flatMap(line => /^… (\d+) more line/.exec(line)?.[1] ?? []).map(Number);
  const shown = lines.length - more.length - 1;
  assert.equal(shown + more.reduce((sum, n) => sum + n, 0), 60);
  assert.ok(more.length > 0 && shown <= 21, lines.join('\n'));
  const log = readFileSync(files.generatorLog, 'utf8');
  assert.equal(log.match(/^hook 7$/gm)?.length, 59);
});

test('after the last phase users leave out their pauses, and end what they began', async t => {
  const { target, urls } = await listen(t);
  const load = {
    script: `
config: { target: "${target}", phases: [{ duration: 1, users: 2 }] }
scenarios: [{ flow: [{ get: { url: /begin } }, { think: 600, jitter: 1 }, { think: 600 }, { get: { url: /end } }] }]
`,
    settings: {},
    options: { endsSoon: true },
  };
  const { running } = await startTestLoad(makeFolder(t), load);
  assert.equal((await running.ended).exitCode, 0);
  assert.deepEqual(urls, ['/begin', '/begin', '/end', '/end']);
});

test('users that take longer are cut between two requests, and neither completed nor failed', async t => {
  /** @type {string[]} */
  const urls = [];
  const target = await serve(t, ({ url = '' }, response) => {
    urls.push(url);
    setTimeout(() => response.end('{}'), url === '/long' ? 2500 : 0);
  });
  const load = {
    script: `
config: { target: "${target}", phases: [{ duration: 1, users: 1 }] }
scenarios: [{ flow: [{ get: { url: /long } }, { loop: [{ get: { url: /again } }] }] }]
`,
    settings: {},
    options: { endsSoon: true },
  };
  const { running } = await startTestLoad(makeFolder(t), load);
  const { reason, counters } = await running.ended;
  assert.equal(reason, 'complete');
  assert.deepEqual(urls, ['/long']);
  const names = ['http.responses', 'vusers.created', 'vusers.completed', 'vusers.failed'];
  assert.deepEqual(
    names.map(name => counters[name] ?? 0),
    [1, 1, 0, 0],
  );
});
