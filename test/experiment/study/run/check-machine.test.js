import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planStudy } from '../../../../lib/experiment/study/plan-study.js';
import { checkMachine } from '../../../../lib/experiment/study/run/run-study.js';
import { readStudy } from '../../../../lib/experiment/study/study-file/read-study.js';
import { SMALL, writeStudy } from '../study-file/write-study.js';

test('searches for py-spy only if a study records stacks', async t => {
  const plan = planStudy(readStudy(writeStudy(t, SMALL)));
  /** @param {'plateau' | 'off'} profile @param {string} profiler */
  const check = (profile, profiler) => {
    Object.assign(process.env, { PYSPY: '/no/such/py-spy', PROFILER: profiler });
    const { study } = plan;
    return checkMachine({ ...plan, study: { ...study, record: { ...study.record, profile } } });
  };
  const env = { ...process.env };
  t.after(() => {
    process.env = env;
  });
  await assert.rejects(check('plateau', 'auto'), { code: 'PYSPY_UNUSABLE' });
  await check('plateau', 'none');
  await check('off', 'auto');
});
