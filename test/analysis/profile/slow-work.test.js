/** Causes of work that another way to do it makes unnecessary: each where it is true, and beside it where it is not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyseProfile } from '../../../lib/analysis/profile/analyse-profile.js';
import { build, rules } from '../built-profiles.js';

const LIBRARY = '/opt/python3.12/lib/python3.12';
const SITE = `${LIBRARY}/site-packages`;
const LOOP = [
  `Server.run (${SITE}/uvicorn/server.py:60)`,
  `RequestResponseCycle.run_asgi (${SITE}/uvicorn/protocols/http/httptools_impl.py:400)`,
];
const VIEW = 'show (/srv/shop/views.py:3)';
const DEPENDENCIES = `solve_dependencies (${SITE}/fastapi/dependencies/utils.py:640)`;
const TO_THREAD = `run_in_threadpool (${SITE}/starlette/concurrency.py:39)`;
const STREAM = `iterate_in_threadpool (${SITE}/starlette/concurrency.py:60)`;
const IDS =
  'regex-matching slow-parser frame-rows markup-converted stream-in-threads dependency-threads';

/** A third of the CPU is in this stack, all through the run. @param {string[]} stack @param {any} [load] */
function idsOf(stack, load = null) {
  const rows = [0, 1, 2, 3, 4, 5].flatMap(segment => [
    [segment, 2, [...LOOP, VIEW], 80],
    [segment, 2, [...LOOP, ...stack], 40],
  ]);
  const profile = build(/** @type {any} */ (rows));
  const { causes } = analyseProfile({ profile, rules, load, workersMs: 9600, requests: 480 });
  return causes.flatMap(({ id }) => (IDS.split(' ').includes(id) ? id : []));
}

for (const [id, ...stack] of [
  ['regex-matching', VIEW, `sub (${LIBRARY}/re/__init__.py:185)`],
  ['regex-matching', VIEW, 're.Pattern.search (<C code>)'],
  ['regex-matching', VIEW, 'sub (<C code in a loop>)'],
  ['slow-parser', VIEW, `parse (${SITE}/dateutil/parser/_parser.py:1280)`],
  ['slow-parser', VIEW, `_strptime_datetime (${LIBRARY}/_strptime.py:560)`],
  [
    'slow-parser',
    VIEW,
    `Response.text (${SITE}/requests/models.py:920)`,
    `detect (${SITE}/chardet/__init__.py:30)`,
  ],
  ['frame-rows', VIEW, `DataFrame.iterrows (${SITE}/pandas/core/frame.py:1550)`],
  [
    'frame-rows',
    VIEW,
    `DataFrame.apply (${SITE}/pandas/core/frame.py:10300)`,
    `FrameApply.apply_series_generator (${SITE}/pandas/core/apply.py:1080)`,
  ],
  ['markup-converted', VIEW, `Markdown.convert (${SITE}/markdown/core.py:340)`],
  ['markup-converted', VIEW, `highlight (${SITE}/pygments/__init__.py:76)`],
  ['stream-in-threads', STREAM],
  ['dependency-threads', DEPENDENCIES, TO_THREAD, `run_sync (${SITE}/anyio/to_thread.py:63)`],
])
  test(`names ${id} of ${stack.at(-1)}`, () => assert.deepEqual(idsOf(stack), [id]));

for (const [of, ...stack] of [
  ['a view in a thread', `app (${SITE}/fastapi/routing.py:300)`, TO_THREAD],
  ['what a dependency does', DEPENDENCIES, 'settings (/srv/shop/deps.py:3)'],
  ['whole columns', VIEW, `DataFrame.groupby (${SITE}/pandas/core/frame.py:9100)`],
  ['tuples of rows', VIEW, `DataFrame.itertuples (${SITE}/pandas/core/frame.py:1600)`],
  ['a parser of one format', VIEW, 'datetime.fromisoformat (<C code>)'],
  ['a router', `Map.match (${SITE}/werkzeug/routing/map.py:600)`],
  [
    'a driver that looks for dates',
    VIEW,
    `Cursor.execute (${SITE}/django/db/backends/utils.py:100)`,
    `sub (${LIBRARY}/re/__init__.py:185)`,
  ],
])
  test(`names nothing of ${of}`, () => assert.deepEqual(idsOf(stack), []));

test('names a stream from threads only if its parts are small, or were not counted', () => {
  const idsIf = (/** @type {boolean | undefined} */ inSmallParts) => {
    const one = { name: 'GET /export', requests: 480, answers: 480, perWindow: [480] };
    return idsOf([STREAM], {
      endpoints: [{ ...one, serverMs: null, measured: null, inSmallParts }],
    });
  };
  assert.deepEqual(idsIf(true), ['stream-in-threads']);
  assert.deepEqual(idsIf(undefined), ['stream-in-threads']);
  assert.deepEqual(idsIf(false), []);
});

test('what threads do to take dependencies over and give them back is a part, beside views that are handed over, too', () => {
  const hop = [...LOOP, DEPENDENCIES, TO_THREAD];
  const thread = [
    `Thread.run (${LIBRARY}/threading.py:982)`,
    `WorkerThread.run (${SITE}/anyio/_backends/_asyncio.py:1133)`,
  ];
  const wake = [
    ...thread,
    `BaseEventLoop.call_soon_threadsafe (${LIBRARY}/asyncio/base_events.py:812)`,
  ];
  const shareOf = (/** @type {[string[], number][]} */ ...more) => {
    const rows = [0, 1, 2, 3, 4, 5].flatMap(segment =>
      [[[...LOOP, VIEW], 50], [hop, 10], ...more].map(row => [segment, 2, ...row]),
    );
    const profile = build(/** @type {any} */ (rows));
    const { causes } = analyseProfile({ profile, rules, workersMs: 9600, requests: 480 });
    return causes.find(({ id }) => id === 'dependency-threads')?.share.value;
  };
  assert.equal(shareOf([[...LOOP, VIEW], 40]), 0.1);
  assert.equal(shareOf([wake, 40]), 0.5);
  const view = [...LOOP, `app (${SITE}/fastapi/routing.py:300)`, TO_THREAD];
  assert.equal(shareOf([wake, 20], [view, 10], [[...LOOP, VIEW], 10]), 0.2);
  assert.equal(
    shareOf([[...thread, 'settings (/srv/shop/deps.py:3)'], 40]),
    0.1,
    'the work itself',
  );
});
