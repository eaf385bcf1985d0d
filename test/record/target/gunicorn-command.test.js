import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseGunicornCommand } from '../../../lib/record/target/gunicorn-command.js';

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
    { workerClass: 'gevent', binds: ['[::]:80', 'unix:/x'], appName: 'x' },
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
