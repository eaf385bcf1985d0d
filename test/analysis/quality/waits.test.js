import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeProfile } from '../../../lib/analysis/judge/quality/profile.js';
import { describeQuality } from '../../../lib/text/quality.js';
import { makeRecorded, makeWaits } from '../facts.js';

/** @param {number | null} looks @param {string[]} lost */
function judge(looks, lost) {
  const waits = looks === null ? null : { ...makeWaits({ cpu: 1 }), looks };
  return judgeProfile(makeRecorded({ waits }).profile, null, lost, null)
    .filter(({ id }) => id === 'waits-lost' || id === 'idle-samples')
    .map(item => `${item.level} ${item.id}: ${describeQuality(item)}`);
}

test('idle samples are reported with their number, and few of them are a doubt', () => {
  assert.deepEqual(judge(400, []), [
    'ok idle-samples: The waits of requests are based on 400 samples of all threads of a worker, 5 a second.',
  ]);
  assert.match(judge(20, [])[0] ?? '', /^warn idle-samples: .* too few/);
});

test('idle samples that were lost are reported with the reason', () => {
  assert.match(
    judge(400, ['py-spy was ended by SIGKILL'])[0] ?? '',
    /^warn waits-lost: .* for a while: py-spy was ended by SIGKILL\.$/,
  );
  assert.match(judge(null, ['not here'])[0] ?? '', /not recorded at all: not here\.$/);
});

test('reports nothing if no waits were to be recorded', () => {
  assert.deepEqual(judge(null, []), []);
});
