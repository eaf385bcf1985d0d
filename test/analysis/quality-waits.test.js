import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeWaits } from '../../lib/analysis/quality-waits.js';
import { makeProfile, makeWaits } from './facts.js';

/** @param {number | null} looks @param {string[]} lost */
function judge(looks, lost) {
  /** @type {string[]} */
  const said = [];
  const waits = looks === null ? null : { ...makeWaits({ cpu: 1 }), looks };
  judgeWaits(makeProfile({ waits }), lost, (id, level, text) =>
    said.push(`${level} ${id}: ${text}`),
  );
  return said;
}

test('looks at waiting threads are told with their number, and few of them are a doubt', () => {
  assert.deepEqual(judge(400, []), [
    'ok waits-looks: What threads wait for rests on 400 looks at workers, 5 a second.',
  ]);
  assert.match(judge(20, [])[0] ?? '', /^warn waits-looks: .* too few/);
});

test('looks that were lost are told with the reason', () => {
  assert.match(
    judge(400, ['py-spy was ended by SIGKILL'])[0] ?? '',
    /^warn waits: .* for a while: py-spy was ended by SIGKILL\.$/,
  );
  assert.match(judge(null, ['not here'])[0] ?? '', /not recorded at all: not here\.$/);
});

test('where none were to be recorded nothing is said', () => {
  assert.deepEqual(judge(null, []), []);
});
