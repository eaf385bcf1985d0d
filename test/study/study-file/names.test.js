import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { matchesFactors } from '../../../lib/study/study-file/matrix.js';
import { listCopies, namesFor, PASSWORD, pidsOf } from '../../../lib/study/study-file/names.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

const STUDY = {
  file: '/studies/content.yaml',
  variables: { pool: 8, origin: 'http://127.0.0.1:{{ port.api }}{{ cache.path }}' },
  services: [],
  factors: [
    { name: 'workers', values: ['1', '2', '010'].map(label => ({ label, fields: {} })) },
    { name: 'cache', values: [{ label: 'redis', fields: { path: '/{{ workers }}', size: 5 } }] },
  ],
};
/** @param {string} workers */
const variant = workers => ({ id: 'v', label: 'v', factors: { workers, cache: 'redis' } });

test('variables, factors with their fields, ports and places are names', () => {
  const places = { ports: { api: [7000, 7001] }, dir: '/w/api', work: '/w', step: 4 };
  assert.deepEqual(
    { ...namesFor(STUDY, variant('2'), places) },
    {
      studyDir: '/studies',
      python: 'python3',
      cpus: availableParallelism(),
      password: PASSWORD,
      dir: '/w/api',
      work: '/w',
      'addresses.api': 'http://127.0.0.1:7000,http://127.0.0.1:7001',
      step: 4,
      'port.api': 7000,
      'ports.api': [7000, 7001],
      'ports.api.0': 7000,
      'ports.api.1': 7001,
      pool: 8,
      workers: 2,
      cache: 'redis',
      'cache.path': '/2',
      'cache.size': 5,
      origin: 'http://127.0.0.1:7000/2',
    },
  );
});

test('what is not known in a place is no name there', () => {
  const names = namesFor(STUDY, variant('1'), { ports: { api: [1] } });
  for (const name of ['dir', 'work', 'step', 'toString', '__proto__']) {
    assert.equal(name in names, false, name);
  }
});

test('a label is a number only where it is written as one', () => {
  const names = namesFor(STUDY, variant('010'), { ports: { api: [1] } });
  assert.equal(names.workers, '010');
});

test('python is that of the project in which the study lies', t => {
  const project = makeTempFolder(t);
  const python = path.join(project, '.venv/bin/python');
  mkdirSync(path.dirname(python), { recursive: true });
  writeFileSync(python, '');
  const file = path.join(project, 'studies/deep/a.yaml');
  const names = namesFor({ ...STUDY, file }, variant('1'), { ports: { api: [1] } });
  assert.equal(names.python, python);
});

test('a match needs one of its labels in each of its factors', () => {
  const factors = { workers: '2', cache: 'redis' };
  assert.equal(matchesFactors(null, factors), true);
  assert.equal(matchesFactors({ cache: ['off', 'redis'] }, factors), true);
  assert.equal(matchesFactors({ cache: ['redis'], workers: ['1'] }, factors), false);
  assert.equal(matchesFactors({ toString: ['x'] }, factors), false);
});

test('copies of a service have their numbers, and the ports with the same number', () => {
  const service = /** @type {any} */ ({
    name: 'api',
    when: null,
    copies: '{{ workers }}',
    command: ['serve', '{{ copy }}', '{{ ports.api.copy }}', '{{ dir }}'],
  });
  const study = { ...STUDY, services: [service] };
  const names = namesFor(study, variant('2'), { ports: { api: [7000, 7001, 7002] } });
  assert.equal(names['addresses.api'], 'http://127.0.0.1:7000,http://127.0.0.1:7001');
  assert.deepEqual(
    listCopies(service, names).map(({ name, command }) => [name, command]),
    [
      ['api', ['serve', 1, 7000, '{{ dir }}']],
      ['api.2', ['serve', 2, 7001, '{{ dir }}']],
    ],
  );
  const pids = new Map([
    ['api', 1],
    ['api.2', 2],
    ['api-2', 3],
  ]);
  assert.deepEqual(pidsOf(pids, 'api'), [1, 2]);
});
