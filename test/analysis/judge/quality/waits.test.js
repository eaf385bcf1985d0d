import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOTHING_BESIDES } from '../../../../lib/analysis/judge/quality/index.js';
import { judgeProfile } from '../../../../lib/analysis/judge/quality/profile.js';
import { makeRecorded, makeWaits } from '../../facts.js';

/** @param {number | null} looks @param {string[]} lost */
function judge(looks, lost) {
  const waits = looks === null ? null : { ...makeWaits({ cpu: 1 }), looks };
  return judgeProfile(makeRecorded({ waits }).profile, {}, { ...NOTHING_BESIDES, waitsLost: lost })
    .filter(({ id }) => id === 'waits-lost' || id === 'idle-samples')
    .map(({ level, id, facts }) => ({ level, id, facts }));
}

test('idle samples are reported with their number, and few of them are a doubt', () => {
  assert.deepEqual(judge(400, []), [
    { level: 'ok', id: 'idle-samples', facts: { samples: 400, rateHz: 5, isFew: false } },
  ]);
  assert.deepEqual(judge(20, []), [
    { level: 'warn', id: 'idle-samples', facts: { samples: 20, rateHz: 5, isFew: true } },
  ]);
});

test('idle samples that were lost are reported with the reason', () => {
  /** @param {boolean} isAll @param {string} reason */
  const lost = (isAll, reason) => ({ level: 'warn', id: 'waits-lost', facts: { isAll, reason } });
  const reason = 'py-spy was ended by SIGKILL';
  assert.deepEqual(judge(400, [reason])[0], lost(false, reason));
  assert.deepEqual(judge(null, ['not here'])[0], lost(true, 'not here'));
});

test('reports nothing if no waits were to be recorded', () => {
  assert.deepEqual(judge(null, []), []);
});
