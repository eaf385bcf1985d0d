import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findServer, listServers } from '../../../lib/record/target/find-server.js';
import {
  isPython,
  listDescendants,
  listServing,
} from '../../../lib/record/target/process-family.js';
import { waitUntil } from '../../helpers/gunicorn.js';
import { needsModules } from '../../helpers/needs.js';
import { startPythonServer } from '../../helpers/python-server.js';

/**
 * `serves`: the first process does; else so many workers do, and it only waits.
 * @type {[command: string, expected: {modules: string[], kind: string, serves?: boolean, workers: number, isForDevelopment?: boolean, appName?: string | null}][]}
 */
const SERVERS = [
  [
    '-m uvicorn asgi_app:app --port PORT',
    { modules: ['uvicorn'], kind: 'uvicorn', serves: true, workers: 1 },
  ],
  [
    '-m uvicorn asgi_app:app --port PORT --workers 2',
    { modules: ['uvicorn'], kind: 'uvicorn', workers: 2 },
  ],
  [
    '-m uvicorn asgi_app:app --port PORT --reload',
    { modules: ['uvicorn'], kind: 'uvicorn', workers: 1, isForDevelopment: true },
  ],
  [
    '-m gunicorn asgi_app:app -k uvicorn.workers.UvicornWorker -w 2 -b 127.0.0.1:PORT --no-control-socket',
    { modules: ['gunicorn', 'uvicorn'], kind: 'gunicorn', workers: 2 },
  ],
  [
    '-m hypercorn asgi_app:app --bind 127.0.0.1:PORT',
    { modules: ['hypercorn'], kind: 'hypercorn', workers: 1 },
  ],
  [
    '-m hypercorn asgi_app:app --bind 127.0.0.1:PORT -w 0',
    { modules: ['hypercorn'], kind: 'hypercorn', serves: true, workers: 1 },
  ],
  [
    '-m granian --interface wsgi --port PORT --workers 2 burn_app:app',
    { modules: ['granian'], kind: 'granian', workers: 2, appName: 'burn_app:app' },
  ],
  [
    '-m waitress --listen 127.0.0.1:PORT burn_app:app',
    { modules: ['waitress'], kind: 'waitress', serves: true, workers: 1, appName: 'burn_app:app' },
  ],
  [
    '-m flask --app flask_app run --port PORT',
    {
      modules: ['flask'],
      kind: 'flask',
      serves: true,
      workers: 1,
      isForDevelopment: true,
      appName: null,
    },
  ],
  [
    '-m flask --app flask_app run --port PORT --debug',
    { modules: ['flask'], kind: 'flask', workers: 1, isForDevelopment: true, appName: null },
  ],
  [
    'django/manage.py runserver PORT',
    { modules: ['django'], kind: 'django', workers: 1, isForDevelopment: true, appName: null },
  ],
  [
    'django/manage.py runserver PORT --noreload',
    {
      modules: ['django'],
      kind: 'django',
      serves: true,
      workers: 1,
      isForDevelopment: true,
      appName: null,
    },
  ],
  ['flask_app.py PORT', { modules: ['flask'], kind: 'python', workers: 1, appName: null }],
  [
    'pool_app.py PORT fork',
    { modules: ['uvicorn'], kind: 'python', serves: true, workers: 3, appName: null },
  ],
  [
    'pool_app.py PORT spawn',
    { modules: ['uvicorn'], kind: 'python', serves: true, workers: 3, appName: null },
  ],
  [
    'pool_app.py PORT forkserver',
    { modules: ['uvicorn'], kind: 'python', serves: true, workers: 3, appName: null },
  ],
];

for (const [command, { modules, ...expected }] of SERVERS) {
  test(`who serves is found of: python ${command}`, { skip: needsModules(...modules) }, async t => {
    const { pid, port, url } = await startPythonServer(t, modules, command);
    const {
      serves = false,
      workers,
      isForDevelopment = false,
      appName = 'asgi_app:app',
    } = expected;
    // A worker may still be on its way when the first one answers.
    await waitUntil(async () => (await findServer({ target: url })).workers.length === workers);
    const found = await findServer({ target: url });
    assert.equal(found.rootPid, pid);
    assert.equal(found.masterPid, serves ? null : pid);
    assert.equal(found.workers.includes(pid), serves);
    assert.equal(found.kind, expected.kind);
    assert.equal(found.isForDevelopment, isForDevelopment);
    assert.equal(found.appName, appName);
    assert.deepEqual(found.binds, [`127.0.0.1:${port}`]);
    assert.match(found.how, new RegExp(`owner of port ${port}`));
    assert.deepEqual(listServing(found), found.workers);
    assert.equal(listServers().includes(pid), expected.kind !== 'python');

    for (const worker of listDescendants(pid).filter(isPython)) {
      if (!found.workers.includes(worker)) continue;
      const { rootPid, masterPid } = await findServer({ pid: worker });
      assert.deepEqual({ rootPid, masterPid }, { rootPid: pid, masterPid: found.masterPid });
    }
  });
}

test('two servers on one port are a list to choose from', {
  skip: needsModules('granian'),
}, async t => {
  const command = '-m granian --interface wsgi --port PORT burn_app:app';
  const first = await startPythonServer(t, ['granian'], command);
  const second = await startPythonServer(t, ['granian'], command, first.port);
  const find = () =>
    findServer({ target: first.url }).then(
      () => null,
      error => error,
    );
  // Whose workers answered, nobody can tell.
  const { code, data } = /** @type {any} */ (await waitUntil(find, 'both'));
  assert.equal(code, 'SERVER_AMBIGUOUS');
  const pids = data.candidates.map((/** @type {{rootPid: number}} */ one) => one.rootPid);
  assert.deepEqual(pids.toSorted(), [first.pid, second.pid].toSorted());
});
