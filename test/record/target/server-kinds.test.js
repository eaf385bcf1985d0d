import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatFound } from '../../../lib/record/target/describe-server.js';
import { findAppName, findKind, isPythonName } from '../../../lib/record/target/server-kinds.js';

/** @type {[string, string[]][]} */
const NO_SERVER = [
  ['an editor', ['vim', 'gunicorn.conf.py']],
  ['an editor with the very word', ['nano', '/usr/bin/gunicorn']],
  ['a shell that starts it', ['sh', '-c', 'gunicorn app:app']],
  ['a pager', ['less', '/var/log/gunicorn']],
  ['a supervisor with an argument', ['python3', '/usr/bin/supervisord', 'gunicorn']],
  ['Python code that mentions it', ['python3', '-c', 'import gunicorn', 'gunicorn']],
  ['another module', ['python3', '-m', 'pytest', 'gunicorn']],
  ['a script of another name', ['python3', 'gunicorn_helper.py']],
  ['another command of Flask', ['python3', '/v/bin/flask', 'shell']],
  ['another command of Django', ['python3', 'manage.py', 'migrate']],
  ['nothing', []],
];
for (const [what, argv] of NO_SERVER) {
  test(`${what} is not a server`, () => assert.equal(findKind(argv), null));
}

/** @type {[string, {kind: string, isForDevelopment: boolean, appName: string | null}][]} */
const SERVERS = [
  [
    'python3 /v/bin/gunicorn -w 4 wsgi:app',
    { kind: 'gunicorn', isForDevelopment: false, appName: 'wsgi:app' },
  ],
  [
    'python3 -X dev -m uvicorn --host localhost a.b:make() --reload',
    { kind: 'uvicorn', isForDevelopment: true, appName: 'a.b:make()' },
  ],
  [
    'python3 /v/bin/fastapi run main.py',
    { kind: 'uvicorn', isForDevelopment: false, appName: null },
  ],
  [
    'python3 /v/bin/fastapi dev main.py',
    { kind: 'uvicorn', isForDevelopment: true, appName: null },
  ],
  [
    'python3 -m hypercorn --bind 127.0.0.1:8000 app:asgi',
    { kind: 'hypercorn', isForDevelopment: false, appName: 'app:asgi' },
  ],
  [
    'python3 -m waitress --listen *:80 shop.wsgi:app',
    { kind: 'waitress', isForDevelopment: false, appName: 'shop.wsgi:app' },
  ],
  ['python3 /v/bin/flask --app shop run', { kind: 'flask', isForDevelopment: true, appName: null }],
  ['python manage.py runserver 8000', { kind: 'django', isForDevelopment: true, appName: null }],
];
for (const [command, { appName, ...kind }] of SERVERS) {
  test(`reads ${command}`, () => {
    const argv = command.split(' ');
    assert.deepEqual(findKind(argv), { ...kind, runsTasks: false });
    assert.equal(findAppName(argv), appName);
  });
}

test('a process title is a command line of one word', () => {
  const title = ['granian asgi 127.0.0.1:8000 app:asgi worker-1'];
  assert.deepEqual(findKind(title), {
    kind: 'granian',
    isForDevelopment: false,
    runsTasks: false,
  });
  assert.equal(findAppName(title), 'app:asgi');
  assert.equal(findKind(['gunicorn: master [shop]'])?.kind, 'gunicorn');
});

/** @type {[string, string | null][]} */
const TASK_WORKERS = [
  ['python3 /v/bin/celery -A shop worker -c 4', 'celery'],
  ['python3 -m celery -A shop worker --pool solo', 'celery'],
  ['python3 /v/bin/celery -A shop beat', null],
  ['python3 /v/bin/rq worker high low', 'rq'],
  ['python3 /v/bin/rq info', null],
  ['python3 manage.py rqworker default', 'rq'],
  ['python3 -m dramatiq shop.tasks -p 8', 'dramatiq'],
];
for (const [command, kind] of TASK_WORKERS) {
  test(`${command} is ${kind ? `a worker of ${kind}` : 'no worker'}`, () => {
    const found = findKind(command.split(' '));
    assert.deepEqual(found, kind && { kind, isForDevelopment: false, runsTasks: true });
  });
}

test('task workers are known by titles that they give themselves', () => {
  const celery = '[celeryd: celery@shop:ForkPoolWorker-1]';
  assert.equal(findKind([celery])?.kind, 'celery');
  assert.equal(findKind(['rq:worker:a1b2: Listening on default'])?.kind, 'rq');
});

test('a Python interpreter is known by its name', () => {
  for (const name of ['python', '/usr/bin/python3.14', 'pypy3', 'python3.12-dbg']) {
    assert.ok(isPythonName(name), name);
  }
  for (const name of ['node', 'pythonista', 'python.sh', 'ipython3']) {
    assert.ok(!isPythonName(name), name);
  }
});

test('a process that serves by itself has no workers: its children may be of a pool', () => {
  const say = (/** @type {number | null} */ masterPid, /** @type {number[]} */ workers) =>
    formatFound(/** @type {any} */ ({ kind: 'uvicorn', rootPid: 9, masterPid, workers, how: 'x' }));
  assert.equal(say(null, [9]), 'uvicorn process 9 (x)');
  assert.equal(say(null, [9, 12]), 'uvicorn process 9 and 1 child process (x)');
  assert.equal(say(null, [9, 12, 13]), 'uvicorn process 9 and 2 child processes (x)');
  assert.equal(say(9, [12]), 'uvicorn master 9 with 1 worker (x)');
  assert.equal(say(9, [12, 13]), 'uvicorn master 9 with 2 workers (x)');
});
