/** Loops of a function, as its source shows them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readLoops } from '../../../lib/analysis/profile/read-loops.js';

/** Lines of the loops around the last one with a comment. @param {string} source */
function loopsAt(source) {
  const lines = source.split('\n');
  const at = lines.findLastIndex(text => text.includes('# here'));
  return readLoops(lines)
    .listLoops(at)
    .map(own => own.at);
}

test('what tries again after a failure is no loop over something', () => {
  const tries = `def call():
    for attempt in (1, 2):
        conn = connect()
        try:
            return conn.get()  # here
        except OSError:
            pass`;
  assert.deepEqual(loopsAt(tries), []);
  assert.deepEqual(loopsAt(tries.replace('        conn = connect()\n', '')), []);
  assert.deepEqual(loopsAt(tries.replace('return conn.get()', 'show(conn.get())')), [1]);
  const early = `def check():
    for one in ROWS:
        try:
            check(one)  # here
        except ValueError:
            return False`;
  assert.deepEqual(loopsAt(early), [1]);
  const first = `def first():
    for one in ROWS:
        if good(one):  # here
            return one`;
  assert.deepEqual(loopsAt(first), [1]);
  const once = `def once():
    while pending():
        take()  # here
        break`;
  assert.deepEqual(loopsAt(once), []);
});
