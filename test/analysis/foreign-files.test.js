/** Files of other programs and versions, as `loadflame report <file>` reads them. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { analyseFiles } from '../../lib/analysis/analyse-files.js';

const folder = mkdtempSync(path.join(tmpdir(), 'loadflame-foreign-'));
after(() => rmSync(folder, { recursive: true }));

/** @param {string} name @param {string | Buffer} content */
async function analyse(name, content) {
  const file = path.join(folder, name);
  writeFileSync(file, content);
  return (await analyseFiles([file])).report;
}

/** @param {string} text collapsed stacks */
async function analyseStacks(text) {
  const { profile, verdict } = await analyse('stacks.raw', text);
  assert.ok(profile);
  const paths = profile.hotPaths.map(({ category, entry, share }) => [
    category,
    entry.function,
    Math.round(100 * share.value),
  ]);
  return { ...profile.samples, paths, verdict };
}

for (const [version, aggregate] of Object.entries({
  1: { timestamp: '2020-01-01T10:01:00.000Z', scenariosCreated: 60, codes: { 200: 118 } },
  '2 in development': { counters: { 'core.vusers.created.total': 60 }, rates: {} },
}))
  test(`a report of Artillery ${version} is refused under its name`, async () => {
    await assert.rejects(analyse('old.json', JSON.stringify({ aggregate, intermediate: [] })), {
      code: 'PROFILE_FORMAT',
      message: /a report of Artillery before version 2/,
    });
  });

test('a report with other fields is refused without a guess at the cause', async () => {
  const json = { aggregate: { counters: { 'http.requests': 'many' } }, intermediate: [] };
  await assert.rejects(analyse('bad.json', JSON.stringify(json)), {
    code: 'ARTILLERY_JSON_BROKEN',
    message: /http\.requests/,
    hint: /artillery run --output/,
  });
});

test('threads that wait in C code are no CPU time where a file has no times', async () => {
  const { active, waiting, paths, verdict } = await analyseStacks(
    [
      'run (uvicorn/supervisors/basereload.py:52);should_restart (uvicorn/supervisors/watchfilesreload.py:84);watch (watchfiles/main.py:122) 1800',
      'subprocess_started (uvicorn/_subprocess.py:78);run (uvicorn/server.py:65);run (asyncio/runners.py:118) 1800',
      '_worker (gevent/threadpool.py:270);get (gevent/_threading.py:166);wait (gevent/_threading.py:84) 500',
      '_worker (gevent/threadpool.py:270);get (gevent/_threading.py:166) 500',
      'run (uvicorn/server.py:65);run (asyncio/runners.py:118);uv__io_poll (uvloop/loop.so);epoll_wait (libc.so.6) 70',
      'clone (libc.so.6);blas_thread_server (libopenblas.so);pthread_cond_wait@@GLIBC_2.3.2 (libpthread-2.31.so) 70',
      'acquire (app/pool.py:3);PyThread_acquire_lock_timed (python3.11);do_futex_wait.constprop.0 (libc.so.6) 70',
      'take (app/pool.py:3);sem_wait (libc.so.6) 70',
      'main (app.py:3);poll (libc-2.31.so) 70',
      'handle (shop/api.py:9);price (shop/api.py:30) 900',
      '',
    ].join('\n'),
  );
  assert.deepEqual([active, waiting], [970, 4880]);
  assert.deepEqual(paths[0], ['business', 'price', 93]);
  assert.equal(verdict.headline.id, 'no-waste');
});

for (const frames of [
  'main (libc.so.6);net/http.(*conn).serve;main.handle',
  'node::Start;(anonymous) /srv/app.js:3:9;Array.map <anonymous>',
  '[kernel];do_syscall_64;std::vector<int>::push_back',
])
  test(`a profile without a frame of Python has no good verdict: ${frames.slice(0, 20)}`, async () => {
    const { verdict } = await analyseStacks(`${frames} 900\n${frames};leaf 300\n`);
    assert.deepEqual([verdict.headline.id, verdict.level], ['no-python', 'unknown']);
  });

test("poll of an application's own file is no wait, and a query's wait counts", async () => {
  const { active, waiting } = await analyseStacks(
    'main (app.py:3);poll (shop/select.py:9) 5\nget (app.py:3);execute (psycopg2/extras.py:9);poll (libc.so.6) 7\n',
  );
  assert.deepEqual([active, waiting], [12, 0]);
});

for (const file of [
  'profiling/threads.py',
  'email/sender.py',
  'test/load.py',
  'types/pay.py',
  'logging/audit.py',
])
  test(`${file} is of the application, although Python has a package of its name`, async () => {
    const { paths } = await analyseStacks(
      `_worker (concurrent/futures/thread.py:83);run (concurrent/futures/thread.py:58);batch_job (${file}:27) 600\nmain (app.py:3);other (app.py:9) 400\n`,
    );
    assert.deepEqual(paths[0], ['business', 'batch_job', 60]);
  });

for (const [file, category] of [
  ['email/message.py', 'business'],
  ['json/__init__.py', 'serialization'],
  ['logging/handlers.py', 'business'],
  ['/usr/lib/python3.12/test/support/x.py', 'business'],
])
  test(`${file} stays one of Python's own`, async () => {
    const { paths } = await analyseStacks(`view (shop/api.py:3);work (${file}:27) 600\n`);
    assert.deepEqual(paths, [[category, category === 'business' ? 'view' : 'work', 100]]);
  });

test('what could not be read of a profile stands first among the doubts', async () => {
  const { quality, reliability, verdict } = await analyse(
    'exp.raw',
    'main (app.py:1);a (app.py:2) 600\nmain (app.py:1);b (app.py:3) 1e3\n',
  );
  assert.deepEqual([verdict.level, verdict.headline.id], ['unknown', 'part-unread']);
  const [first] = reliability.reasons;
  assert.deepEqual(first, quality[0]);
  assert.deepEqual(
    [first?.id, first?.level, first?.facts],
    ['unread', 'warn', { entries: 2, skipped: 1, example: 'main (app.py:1);b (app.py:3) 1e3' }],
  );
});

for (const [stacks, names] of [
  ['tid:1;main.py:<module>:12;__init__.py:dumps:238 700\n', 'files'],
  ['python3;_start;main;PyEval_EvalFrameDefault 700\n', 'functions'],
  ['python3;_start;main (app.py:3) 700\n', null],
])
  test(`frames that name ${names ?? 'paths'} ${names ? 'cast doubt on' : 'are enough for'} categories`, async () => {
    const { quality } = await analyse('names.raw', stacks ?? '');
    const found = quality.find(({ id }) => id === 'frame-names');
    assert.equal(found?.facts && 'names' in found.facts ? found.facts.names : null, names);
  });
