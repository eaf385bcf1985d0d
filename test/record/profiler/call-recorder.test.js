import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { classifyProfile } from '../../../lib/analysis/hotpath/classify-profile.js';
import { loadRules } from '../../../lib/analysis/hotpath/load-rules.js';
import { nameCalls } from '../../../lib/analysis/hotpath/name-calls.js';
import { readRunProfile } from '../../../lib/analysis/read/read-run-profile.js';
import { createRedactor } from '../../../lib/base/files/redaction.js';
import { startChild } from '../../../lib/base/process/child.js';
import { recordCalls } from '../../../lib/record/profiler/call-recorder.js';
import { readNdjson } from '../../../lib/run/ndjson.js';
import { PYTHON, startGunicorn } from '../../helpers/gunicorn.js';
import { test as quietTest } from '../../helpers/quiet.js';
import { startRecording } from '../../helpers/recording.js';
import { recordsOf } from '../../helpers/records.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

/**
 * @param {import('node:test').TestContext} t
 * @param {Record<string, string>} sources in the working directory of a Python
 * @param {(folder: string) => void} [change] once it runs
 * @param {string} [cwd] below the folder of the sources
 */
async function startPython(t, sources, change = () => {}, cwd = '.') {
  const folder = makeTempFolder(t);
  for (const [name, text] of Object.entries(sources)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
    // As old as sources are that somebody deployed; times of files and of processes differ by some ms.
    utimesSync(path.join(folder, name), new Date(1e12), new Date(1e12));
  }
  const python = startChild(PYTHON, ['-c', 'import time; time.sleep(60)'], {
    cwd: path.join(folder, cwd),
    stdout: 'ignore',
    stderr: 'ignore',
  });
  t.after(() => python.stop());
  await sleep(100);
  change(folder);
  const file = path.join(makeTempFolder(t), 'calls.ndjson');
  const source = path.join(path.dirname(file), 'source.ndjson');
  const keep = { file: source, redact: createRedactor().redactText };
  const calls = recordCalls({ pid: python.pid, file, source: keep });
  return {
    /** @returns {Promise<string[]>} whose lines were kept, and how many */
    kept: async () => {
      const { records } = await readNdjson(source);
      return records.map(own => `${own.file} ${own.function} ${own.isChanged ?? own.lines.length}`);
    },
    /** @param {string[]} stacks of a segment @returns {Promise<string[]>} what is written down for them */
    look: async (...stacks) => {
      const segment = path.join(folder, 'segment.raw');
      writeFileSync(segment, stacks.map(line => `${line}\n`).join(''));
      calls.look(segment);
      await calls.stop();
      const { records } = await readNdjson(file);
      return records.flatMap(
        ({ kind, function: of, file: name, line, calls: own, path: route, ...touch }) => {
          const { repeats, inLoop, each, touches, method } = touch;
          if (kind === 'log-call') return [`${name}:${line} ${of} ${method}`];
          if (kind === 'route') return [`${name} ${of} ${route}`];
          if (kind === 'touch')
            return [`${name}:${line} ${repeats} ${touches}${inLoop ? ' in loop' : ''} ${each}`];
          return kind === 'line' ? [`${name}:${line} ${own}`] : [];
        },
      );
    },
  };
}

test('calls of a logger are written down, of functions of the app on the stacks', async t => {
  const source = `def show():
    log.debug(
        dumps(rows))
    return rows
def other(): log.info(dumps(rows))
`;
  const { look } = await startPython(t, { 'app.py': source });
  assert.deepEqual(await look('show (app.py:3) 1', 'show (app.py:4) 1'), [
    'app.py:2 show debug',
    'app.py:3 show debug',
  ]);
});

test('routes of functions on the stacks are written down, once, and of no others', async t => {
  const source = `
@app.route('/a/<id>')
def a(id): ...
@app.route('/b')
def b(): ...
class Todo:
    @app.get('/todo')
    def get(self): ...
class Done:
    @app.get('/done')
    def get(self): ...
`;
  const { look } = await startPython(t, { 'src/views.py': source });
  const stacks = ['main (views.py:1);a (views.py:3);b2 (views.py:9) 1', 'a (views.py:3) 1'];
  assert.deepEqual(await look(...stacks), ['views.py a /a/<id>']);
  assert.deepEqual(await look('Done.get (views.py:11) 2'), [
    'views.py a /a/<id>',
    'views.py Done.get /done',
  ]);
});

test('routes of Django stand in the table of URLs beside the views', async t => {
  const table =
    "from django.urls import path\nfrom . import views\nu = [path('a/', views.A.as_view())]\n";
  const sources = {
    'shop/__init__.py': '',
    'shop/views.py': 'class A:\n    def get(self, request):\n        return 1\n',
    'shop/urls.py': table,
  };
  const stack = 'A.get (shop/views.py:3) 1';
  const { look } = await startPython(t, sources);
  assert.deepEqual(await look(stack), ['shop/views.py A.get a/']);
  const changed = await startPython(t, sources, folder =>
    writeFileSync(path.join(folder, 'shop/urls.py'), table),
  );
  assert.deepEqual(await changed.look(stack), []);
});

const VIEW = 'def view():\n    db.execute(q)\n';

test('lines are looked up below the working directory, packages by their whole name', async t => {
  const { look } = await startPython(t, {
    'src/views.py': VIEW,
    'src/shop/__init__.py': '',
    'src/shop/api/__init__.py': '',
    'src/shop/api/cart.py': 'class Cart:\n    def add(self):\n        self.x.commit()\n',
    'src/shop/api/other.py': VIEW,
    'src/loose/api/cart.py': VIEW,
  });
  assert.deepEqual(
    await look(
      'process 1:"python";thread (0x1): Main;run (gunicorn/app/base.py:71);view (views.py:2) 3',
      'Cart.add (shop/api/cart.py:3) 4',
      'view (other.py:2) 5',
      'view (api/cart.py:2) 5',
    ),
    // A module of a package has no shorter name, and a folder that is no package is no part of one.
    ['views.py:2 execute', 'shop/api/cart.py:3 commit'],
  );
});

test('a working directory that is a package itself begins the names of its files', async t => {
  const sources = { 'shop/__init__.py': '', 'shop/api/__init__.py': '', 'shop/api/cart.py': VIEW };
  for (const cwd of ['shop', 'shop/api']) {
    const { look } = await startPython(t, sources, () => {}, cwd);
    assert.deepEqual(await look('view (shop/api/cart.py:2) 3'), ['shop/api/cart.py:2 execute']);
  }
});

test('a line is written down once, when it has samples enough', async t => {
  const { look } = await startPython(t, { 'views.py': VIEW });
  assert.deepEqual(await look('view (views.py:2) 2'), []);
  assert.deepEqual(await look('view (views.py:2) 1'), ['views.py:2 execute']);
  assert.deepEqual(await look('view (views.py:2) 9'), ['views.py:2 execute']);
});

test('nothing is said where files of the name differ, or of another function', async t => {
  const { look } = await startPython(t, {
    'views.py': VIEW,
    'tests/views.py': VIEW.replace('execute', 'transform'),
    'same.py': VIEW,
    'build/lib/same.py': VIEW,
    'once.py': VIEW,
    'tests/once.py': 'def other():\n    transform(q)\n',
  });
  assert.deepEqual(await look('view (views.py:2) 5'), []);
  assert.deepEqual(await look('view (once.py:2) 5', 'gone (once.py:2) 5'), ['once.py:2 execute']);
  assert.deepEqual(
    await look('view (missing.py:2) 5', 'view (../views.py:2) 5', 'view (same.py:2) 5'),
    ['once.py:2 execute', 'same.py:2 execute'],
  );
});

test('nothing is said of a file that has changed since', async t => {
  const { look } = await startPython(t, { 'views.py': VIEW }, folder =>
    writeFileSync(path.join(folder, 'views.py'), VIEW),
  );
  assert.deepEqual(await look('view (views.py:2) 5'), []);
});

test('a target that is gone, or a segment that is missing, is no failure', async t => {
  const file = path.join(makeTempFolder(t), 'calls.ndjson');
  const calls = recordCalls({ pid: 2 ** 22 + 1, file });
  calls.look(path.join(makeTempFolder(t), 'missing.raw'));
  await calls.stop();
  const { records } = await readNdjson(file);
  assert.deepEqual(
    records.map(({ kind }) => kind),
    ['start'],
  );
});

quietTest('queries of SQLite have the share that the clock of their thread tells', async t => {
  const { masterPid, url } = await startGunicorn(t, { workers: 1, app: 'sqlite_app:app' });
  const { profiler, files } = await startRecording(t, masterPid, { rateHz: 100, segmentMs: 1000 });
  const spent = { queryMs: 0, loopMs: 0 };
  for (const endMs = Date.now() + 5000; Date.now() < endMs; ) {
    const answer = /** @type {typeof spent} */ (await (await fetch(url)).json());
    spent.queryMs += answer.queryMs;
    spent.loopMs += answer.loopMs;
  }
  await profiler.stop();
  const { records: segments } = await readNdjson(files.segments);
  const { records: calls } = await readNdjson(files.calls);
  const rules = await loadRules();
  const recorded = await readRunProfile({ files, segments: recordsOf('segments', segments) });
  assert.ok(recorded);
  const profile = nameCalls(recorded, recordsOf('calls', calls), rules);
  const { category, categories, causeSet, causeSets } = classifyProfile(profile, rules);
  const samples = { database: 0, business: 0, inLoop: 0 };
  profile.rows.node.forEach((node, row) => {
    const weight = profile.rows.weight[row] ?? 0;
    const { id } = categories[category[node] ?? 0] ?? {};
    if (id === 'database' || id === 'business') samples[id] += weight;
    if (causeSets[causeSet[node] ?? 0]?.some(({ cause }) => cause.id === 'query-in-loop'))
      samples.inLoop += weight;
  });
  const told = samples.database / (samples.database + samples.business);
  const actual = spent.queryMs / (spent.queryMs + spent.loopMs);
  t.diagnostic(`told ${told.toFixed(3)}, true ${actual.toFixed(3)}, ${JSON.stringify(samples)}`);
  assert.ok(Math.abs(told - actual) < 0.1, `told ${told}, true ${actual}`);
  assert.equal(samples.inLoop, samples.database);
});

test('lines on the way to a relation are written down with what they touch', async t => {
  const { look } = await startPython(t, {
    'shop.py':
      'def rows(all):\n    for one in all:\n        yield one.customer.name\ndef view():\n    return list(rows(ORDERS))\n',
  });
  const touched =
    'InstrumentedAttribute.__get__ (sqlalchemy/orm/attributes.py:575);emit (sqlalchemy/orm/strategies.py:1180) 1';
  assert.deepEqual(await look(`view (shop.py:5);rows (shop.py:3);${touched}`), [
    'shop.py:5 false  ',
    'shop.py:3 true customer in loop ',
  ]);
});

test('lines that lead to a query of an ORM are written down with what they do in a loop', async t => {
  const { look } = await startPython(t, {
    'shop.py': [
      ...['def view(s):', '    all = Article.objects.all()', '    for one in all:'],
      ...['        show(one.tags.all())', '    return [s.get(Tag, k) for k in KEYS]'],
    ].join('\n'),
  });
  const fetch = 'QuerySet._fetch_all (django/db/models/query.py:1945) 1';
  const get =
    'Session.get (sqlalchemy/orm/session.py:3680);execute (sqlalchemy/engine/base.py:1) 1';
  assert.deepEqual(
    await look(`view (shop.py:3);${fetch}`, `view (shop.py:4);${fetch}`, `view (shop.py:5);${get}`),
    ['shop.py:3 false  ', 'shop.py:4 true tags in loop ', 'shop.py:5 true  get'],
  );
});

test('keeps the lines of functions of the app, each once, and of nothing that lies elsewhere', async t => {
  const two = 'def a():\n    return 1\ndef b():\n    return 2\n';
  const outside = path.join(makeTempFolder(t), 'outside.py');
  writeFileSync(outside, two);
  utimesSync(outside, new Date(1e12), new Date(1e12));
  const sources = {
    'views.py': two,
    'one/twice.py': two,
    'other/twice.py': two,
    'edited.py': two,
    'loadflame_server_timing.py': two,
  };
  const { look, kept } = await startPython(t, sources, folder => {
    symlinkSync(outside, path.join(folder, 'linked.py'));
    writeFileSync(path.join(folder, 'edited.py'), `# new\n${two}`);
  });
  const files = [...Object.keys(sources), 'linked.py', 'json/decoder.py'];
  const places = files.map(name => name.replace(/^(one|other)\//, ''));
  await look(...places.flatMap(name => [`a (${name}:2) 9`, `main (x.py:1);a (${name}:2) 9`]));
  assert.deepEqual(await kept(), ['views.py a 2', 'edited.py a true']);
});
