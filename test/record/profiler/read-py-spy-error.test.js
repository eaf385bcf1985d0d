import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPySpyError } from '../../../lib/record/profiler/read-py-spy-error.js';
import { parsePySpyLine } from '../../../lib/record/profiler/start-py-spy.js';

const NAME =
  'Error: Failed to get process executable name. Check that the process is running.\n\nCaused by:\n    0: ';

/** What py-spy 0.4.3 and sudo say, and what it means. @type {[string, string][]} */
const COMPLAINTS = [
  [`${NAME}No such file or directory (os error 2)`, 'PYSPY_NO_PROCESS'],
  [`${NAME}Permission denied (os error 13)`, 'PYSPY_PERMISSION'],
  [
    "Permission Denied: Try running again with elevated permissions by going 'sudo'",
    'PYSPY_PERMISSION',
  ],
  ['sudo: a password is required', 'PYSPY_PERMISSION'],
  ['Sorry, user a is not allowed to execute /usr/bin/py-spy as root on b.', 'PYSPY_PERMISSION'],
  [
    'This program requires root on OSX.\nTry running again with elevated permissions',
    'PYSPY_PERMISSION',
  ],
  [
    'Error: Failed to suspend process\n\nCaused by:\n    0: EPERM: Operation not permitted\n    1: EPERM: Operation not permitted',
    'PYSPY_PTRACE_BLOCKED',
  ],
  ['Error: Failed to find python version from target process', 'PYSPY_NOT_PYTHON'],
  ['Error: No python processes found in process 7 or any of its subprocesses', 'PYSPY_NOT_PYTHON'],
  ['Error: something new', 'PYSPY_FAILED'],
  ['', 'PYSPY_FAILED'],
];
for (const [stderr, code] of COMPLAINTS) {
  test(`py-spy's "${stderr.replace(/\s+/g, ' ').slice(0, 70)}" is ${code}`, () => {
    const error = readPySpyError(stderr, 1);
    assert.equal(error.code, code);
    assert.ok(error.hint.length > 20);
  });
}

test('what is not understood is quoted', () => {
  assert.match(readPySpyError('a\nb\nError: something new\n', 1).message, /something new/);
});

test('lines of a recording are read', () => {
  /** @type {[string, object | null][]} */
  const lines = [
    [
      'py-spy> Sampling process 50 times a second for 20 seconds. Press Control-C to exit.',
      { kind: 'sampling' },
    ],
    [
      'py-spy> 1.25s behind in sampling, results may be inaccurate.',
      { kind: 'late', lateMs: 1250 },
    ],
    ['310.00ms behind in sampling', { kind: 'late', lateMs: 310 }],
    [
      "py-spy> Wrote raw flamegraph data to 'Samples: 9 Errors: 9'. Samples: 33 Errors: 2",
      { kind: 'written', samples: 33, errors: 2 },
    ],
    ['py-spy> Stopped sampling because Control-C pressed', null],
  ];
  for (const [line, expected] of lines) assert.deepEqual(parsePySpyLine(line), expected);
});
