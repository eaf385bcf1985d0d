import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchesFactors, nameVariable } from '../../../../lib/experiment/study/analysis/matrix.js';
import { makeVariables, PASSWORD } from '../../../../lib/experiment/study/study-file/variables.js';

const STUDY = {
  file: '/studies/content.yaml',
  factors: [
    { name: 'workers', values: ['1', '2'].map(label => ({ label, fields: {} })) },
    {
      name: 'keep-alive',
      values: [
        { label: 'off', fields: {} },
        {
          label: 'on',
          fields: { maxRounds: 50, of: '{{ $env.STUDY_WORKERS }} of {{ $env.STUDY_PORT_API_1 }}' },
        },
      ],
    },
  ],
  target: { url: 'http://127.0.0.1:{{ $env.STUDY_PORT_API_1 }}', gunicorn: null, workers: null },
};
const PLACES = { seed: 7, ports: { 'api-1': 7000 }, work: '/w' };
/** @param {string} keepAlive */
const variant = keepAlive => ({
  id: 'v',
  label: 'v',
  factors: { workers: '2', 'keep-alive': keepAlive },
});
const SHARED = {
  STUDY_DIR: '/studies',
  STUDY_WORK: '/w',
  STUDY_SEED: '7',
  STUDY_PASSWORD: PASSWORD,
  STUDY_PORT_API_1: '7000',
};

test('factors with their fields, ports, places and the target are variables', () => {
  assert.deepEqual(
    { ...makeVariables(STUDY, variant('on'), PLACES) },
    {
      ...SHARED,
      STUDY_WORKERS: '2',
      STUDY_KEEP_ALIVE: 'on',
      STUDY_KEEP_ALIVE_MAXROUNDS: '50',
      STUDY_KEEP_ALIVE_OF: '2 of 7000',
      STUDY_TARGET: 'http://127.0.0.1:7000',
    },
  );
});

test('a value has no fields of another, and no variant has no factors', () => {
  const off = makeVariables(STUDY, variant('off'), PLACES);
  assert.equal(off.STUDY_KEEP_ALIVE_MAXROUNDS, undefined);
  assert.deepEqual({ ...makeVariables(STUDY, null, PLACES) }, SHARED);
});

test('a variable is named in capitals, with _ for what a shell does not take', () => {
  assert.equal(nameVariable('PORT', 'api-1'), 'STUDY_PORT_API_1');
});

test('a match needs one of its labels in each of its factors', () => {
  const factors = { workers: '2', cache: 'redis' };
  assert.equal(matchesFactors(null, factors), true);
  assert.equal(matchesFactors({ cache: ['off', 'redis'] }, factors), true);
  assert.equal(matchesFactors({ cache: ['redis'], workers: ['1'] }, factors), false);
  assert.equal(matchesFactors({ toString: ['x'] }, factors), false);
});
