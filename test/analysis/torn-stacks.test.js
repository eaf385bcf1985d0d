import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyseProfile } from '../../lib/analysis/profile/analyse-profile.js';
import { LOST, ROOTLESS, settleTorn, WHOLE } from '../../lib/analysis/profile/torn-stacks.js';
import { classifyProfile } from '../../lib/hotpath/classify-profile.js';
import { loadRules } from '../../lib/hotpath/load-rules.js';
import { parseRaw } from '../helpers/parse-raw.js';

const rules = await loadRules();
const MAIN = 'process 7:"python";thread (7): MainThread';
const START = `${MAIN};_run_module_as_main (<frozen runpy>:198);_run_code (<frozen runpy>:88)`;
const CELERY = `${START};worker (celery/bin/worker.py:400);asynloop (celery/worker/loops.py:65)`;
const UVICORN = `${START};run (uvicorn/main.py:5);Runner.run (asyncio/runners.py:118);Handle._run (asyncio/events.py:84)`;
const GREEN = 'process 8:"gunicorn";thread (8)';
const GEVENT = `${GREEN};_handle_and_close_when_done (gevent/baseserver.py:34);handle (gunicorn/workers/ggevent.py:120)`;
const POOL = 'process 7:"python";thread (9): ThreadPoolExecutor-0_';
const WORKER = 'Thread._bootstrap (threading.py:1002);Thread.run (threading.py:982)';
const VIEW = 'wsgi_app (flask/app.py:1511);show (shop/views.py:3)';

/** @param {Record<string, number>} stacks samples of each @returns what each of them lacks, in their order */
function judge(stacks) {
  const profile = parseRaw(
    Object.entries(stacks)
      .map(([stack, n]) => `${stack} ${n}`)
      .join('\n'),
  );
  const { torn } = settleTorn(profile, classifyProfile(profile, rules));
  return [...profile.rows.node].map(node => torn[node]);
}

/** @param {Record<string, number>} stacks */
function analyse(stacks, isPaused = false) {
  const profile = parseRaw(
    Object.entries(stacks)
      .map(([stack, n]) => `${stack} ${n}`)
      .join('\n'),
  );
  const analysis = analyseProfile({ profile, rules, isPaused });
  const categories = analysis.categories.map(({ id, samples }) => [id, samples]);
  return { ...analysis, categories: Object.fromEntries(categories) };
}

const SHOWN = {
  [`${START};${VIEW}`]: 500,
  [`${POOL}1;${WORKER};${VIEW}`]: 90,
  [`${POOL}2;${WORKER};${VIEW}`]: 9,
};

test('a stack that begins where hardly any other does is torn, in the main thread and in others', () => {
  const torn = {
    [`${MAIN};${VIEW}`]: 2,
    [`${MAIN};show (shop/views.py:4)`]: 3,
    [`${POOL}2;show (shop/views.py:4)`]: 1,
    // Seen nowhere else: its thread begins elsewhere. A name and a line that were read from freed memory.
    [`${MAIN};is_chunked (gunicorn/http/wsgi.py:300)`]: 2,
    [`${POOL}3;__package__ (__doc__:-61441)`]: 1,
  };
  assert.deepEqual(judge({ ...SHOWN, ...torn }), [
    ...Object.keys(SHOWN).map(() => WHOLE),
    ...[ROOTLESS, ROOTLESS, ROOTLESS, LOST, LOST],
  ]);
});

for (const [title, stacks] of /** @type {[string, Record<string, number>][]} */ ([
  ['threads', SHOWN],
  [
    'threads that hardly run, of older Pythons',
    {
      [`${MAIN};<module> (gunicorn:8);run (gunicorn/app/wsgiapp.py:67)`]: 1,
      [`${POOL}1;_bootstrap (threading.py:937);run (threading.py:917)`]: 400,
      'process 7:"python";process 9:"python";thread (9): MainThread;<module> (<string>:1)': 1,
    },
  ],
  ['a profile without threads', { 'main (app.py:9);work (app.py:3)': 40, 'main (app.py:9)': 2 }],
  [
    'greenlets of gevent, rare ones too',
    {
      [`${GEVENT};${VIEW}`]: 900,
      [`${GREEN};Hub.run (gevent/hub.py:647)`]: 1,
      [`${GREEN};tick (shop/clock.py:9);now (shop/clock.py:3)`]: 2,
      [`${GREEN};_run_module_as_main (<frozen runpy>:198)`]: 1,
    },
  ],
  [
    'greenlets of eventlet',
    {
      [`${GREEN};GreenThread.main (eventlet/greenthread.py:272);${VIEW}`]: 600,
      [`${GREEN};BaseHub.run (eventlet/hubs/hub.py:369)`]: 20,
      [`${GREEN};<module> (gunicorn:8)`]: 4,
    },
  ],
  [
    'greenlets beside an event loop, as of SQLAlchemy',
    {
      [`${UVICORN};app (shop/asgi.py:3)`]: 300,
      [`${MAIN};Session.execute (sqlalchemy/orm/session.py:2365);do_execute (sqlalchemy/engine/default.py:952)`]: 40,
      [`${MAIN};Session.commit (sqlalchemy/orm/session.py:2030)`]: 1,
    },
  ],
  [
    'callbacks that C code starts in threads of its own',
    {
      ...SHOWN,
      'process 7:"python";thread (71);on_message (shop/queue.py:4)': 1,
      'process 7:"python";thread (72);on_delivery (shop/queue.py:9);log (shop/log.py:1)': 3,
    },
  ],
  [
    'generators, exec and a function that calls itself',
    {
      [`${START};<module> (<string>:1);exec_it (shop/run.py:4);<module> (<string>:3)`]: 30,
      [`${START};total (shop/views.py:1);<genexpr> (shop/views.py:2)`]: 4,
      'process 7:"python";thread (70);walk (shop/tree.py:3);visit (shop/tree.py:9);walk (shop/tree.py:4)': 9,
    },
  ],
  ['no samples', {}],
]))
  test(`whole stacks are not called torn: ${title}`, () => {
    const found = judge(stacks);
    assert.deepEqual(
      found,
      found.map(() => WHOLE),
    );
    assert.equal(found.length, Object.keys(stacks).length);
  });

test('a torn stack in the client of a broker is not called database', () => {
  const stacks = {
    [`${CELERY};Channel._brpop_read (kombu/transport/redis.py:1124);Redis.parse_response (redis/client.py:928)`]: 120,
    [`${CELERY};trace_task (celery/app/trace.py:454);bill (shop/tasks.py:3)`]: 190,
    // Seen with its callers; not, but others of its file; neither.
    [`${MAIN};Redis.parse_response (redis/client.py:931);read_response (redis/connection.py:4)`]: 1,
    [`${MAIN};CaseInsensitiveDict.__contains__ (redis/client.py:91)`]: 1,
    [`${MAIN};encode (redis/_parsers/encoders.py:14)`]: 1,
  };
  const { samples, categories, base } = analyse(stacks);
  assert.deepEqual(categories, { business: 190, 'task-queue': 122 });
  assert.deepEqual([samples.active, samples.torn, samples.lost], [312, 3, 1]);
  assert.deepEqual([...base.tornByPid], [[7, 3]]);
  // A target that stood still tore nothing.
  const paused = analyse(stacks, true);
  assert.deepEqual(paused.categories, { business: 190, 'task-queue': 120, database: 3 });
  assert.deepEqual([paused.samples.torn, paused.samples.lost], [0, 0]);
});

test('a torn stack keeps what it says by itself, and the event loop its coroutines', () => {
  const asgi = 'RequestResponseCycle.run_asgi (uvicorn/protocols/http/h11_impl.py:403)';
  const parse = 'parse (xml/etree/ElementTree.py:1220);close (xml/sax/handler.py:200)';
  const { categories } = analyse({
    [`${UVICORN};${asgi}`]: 30,
    [`${UVICORN};${asgi};show (shop/views.py:3);${parse}`]: 70,
    [`${MAIN};${asgi}`]: 3,
    [`${MAIN};close (xml/sax/handler.py:201)`]: 2,
  });
  assert.deepEqual(categories, { serialization: 72, server: 33 });
});

test('where whole stacks disagree, a torn one keeps what one of them says, too', () => {
  const send = 'send_headers (gunicorn/http/wsgi.py:331)';
  const { categories, samples } = analyse({
    [`${START};handle (gunicorn/workers/sync.py:137);${send}`]: 30,
    [`${START};handle (gunicorn/workers/sync.py:137);show (shop/views.py:3);${send}`]: 70,
    [`${MAIN};${send}`]: 1,
    [`${MAIN};is_chunked (gunicorn/http/wsgi.py:300)`]: 2,
  });
  assert.deepEqual(categories, { business: 70, server: 33 });
  assert.deepEqual([samples.torn, samples.lost], [3, 0]);
});

test('functions that several callers have in common are nobody’s, and intervals hold what they could be', () => {
  const stacks = {
    [`${START};${VIEW};choice (random.py:3)`]: 60,
    [`${START};verify (jose/jws.py:3);choice (random.py:3)`]: 20,
  };
  const whole = analyse(stacks);
  const torn = analyse({ ...stacks, [`${MAIN};choice (random.py:3)`]: 4 });
  assert.deepEqual(torn.categories, whole.categories);
  assert.equal(torn.samples.lost, 4);
  assert.ok(Math.abs(torn.samples.unseenShare - 4 / 84) < 1e-9, `${torn.samples.unseenShare}`);
});
