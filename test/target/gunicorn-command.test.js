import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPythonName, parseGunicornCommand } from '../../lib/target/gunicorn-command.js';

/** @type {[string, string[]][]} */
const NOT_GUNICORN = [
  ['an editor', ['vim', 'gunicorn.conf.py']],
  ['an editor with the very word', ['nano', '/usr/bin/gunicorn']],
  ['a shell that starts it', ['sh', '-c', 'gunicorn app:app']],
  ['a pager', ['less', '/var/log/gunicorn']],
  ['a supervisor with an argument', ['python3', '/usr/bin/supervisord', 'gunicorn']],
  ['Python code that mentions it', ['python3', '-c', 'import gunicorn', 'gunicorn']],
  ['another module', ['python3', '-m', 'pytest', 'gunicorn']],
  ['a script of another name', ['python3', 'gunicorn_helper.py']],
  ['nothing', []],
];
for (const [what, argv] of NOT_GUNICORN) {
  test(`${what} is not gunicorn`, () => assert.equal(parseGunicornCommand(argv), null));
}

/** @type {[string[], object][]} */
const COMMANDS = [
  [
    ['/v/bin/python3', '/v/bin/gunicorn', '-w', '4', '-b', '0.0.0.0:5000', 'wsgi:app'],
    { appName: 'wsgi:app', binds: ['0.0.0.0:5000'], workerClass: null, title: null },
  ],
  [
    ['python3.11', '-X', 'dev', '-u', '-m', 'gunicorn', '--threads=4', '--reload', 'a.b:c()'],
    { appName: 'a.b:c()', workerClass: 'gthread', binds: [] },
  ],
  [
    [
      'gunicorn',
      '-kgevent',
      '--bind=[::]:80',
      '--bind',
      'unix:/x',
      '--control-socket',
      'g.ctl',
      'x',
    ],
    { workerClass: 'gevent', binds: ['[::]:80', 'unix:/x'], controlSocket: 'g.ctl', appName: 'x' },
  ],
  [['gunicorn: master [shop]'], { title: 'master', appName: 'shop' }],
  [['gunicorn: worker [shop]'], { title: 'worker' }],
  [['gunicorn: dirty-arbiter'], { title: 'other' }],
];
for (const [argv, expected] of COMMANDS) {
  test(`reads ${argv.join(' ')}`, () => {
    const command = parseGunicornCommand(argv);
    for (const [key, value] of Object.entries(expected)) {
      assert.deepEqual(command?.[/** @type {'appName'} */ (key)], value, key);
    }
  });
}

test('a Python interpreter is known by its name', () => {
  for (const name of ['python', '/usr/bin/python3.14', 'pypy3', 'python3.12-dbg']) {
    assert.ok(isPythonName(name), name);
  }
  for (const name of ['node', 'pythonista', 'python.sh', 'ipython3']) {
    assert.ok(!isPythonName(name), name);
  }
});
