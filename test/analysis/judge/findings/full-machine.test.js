import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findFullMachine } from '../../../../lib/analysis/judge/findings/machine.js';
import { wordsOf } from '../../../helpers/words.js';

/** What two request threads do. @param {string} id */
const waitsFor = id => ({ busyThreads: 2, kinds: [{ id, share: { value: 0.9 } }] });

/**
 * @param {{hostCores: number | null, generatorCores: number | null, workers: number[], model?: string,
 *   stealCores?: number, waits?: ReturnType<typeof waitsFor> | null, calls?: {statements: {kind: string, system: string | null}[]}, packages?: {name: string}[], table?: object}} facts
 */
function find({ hostCores, generatorCores, workers, model = 'open', stealCores, ...facts }) {
  const { waits = waitsFor('cpu'), calls = null, packages = [], table } = facts;
  return findFullMachine(
    /** @type {any} */ ({
      load: { phases: [{ model }] },
      run: { host: { cpus: 2 } },
      ...{ profile: { waits, packages, table }, calls },
      cpu: {
        ...{ hostCores, generatorCores, pySpyCores: 0.1, stealCores },
        workers: workers.map(cores => ({ cores, livedShare: 1 })),
      },
    }),
  )[0];
}

test('reports a saturated CPU with its users', () => {
  const own = find({ hostCores: 1.95, generatorCores: 0.4, workers: [0.6, 0.7] });
  assert.match(wordsOf(own).title, /1\.9 of 2 cores\).*generator and the API competed for CPU/);
  assert.match(wordsOf(own).advice ?? '', /ARRIVAL_RATE/);
  const closed = find({ hostCores: 1.95, generatorCores: 0.4, workers: [1.3], model: 'closed' });
  assert.match(wordsOf(closed).advice ?? '', /^Start fewer users/);
  const others = find({ hostCores: 2, generatorCores: 0.06, workers: [0.2, 0.2] });
  assert.match(wordsOf(others).title, /not part of this run/);
  assert.deepEqual(wordsOf(others).evidence.at(-1), {
    label: 'background load',
    value: '1.44 cores',
  });
  assert.match(wordsOf(others).advice ?? '', /Stop other programs/);
});

test('names background load, not the load generator, if it took more', () => {
  const { title, advice } = wordsOf(
    find({ hostCores: 2, generatorCores: 0.1, workers: [1.07], model: 'closed' }),
  );
  assert.match(title, /background load, not part of this run, and the API competed for CPU/);
  assert.match(advice ?? '', /^Stop other programs here/);
});

test('other programs may be the database, unless few requests wait for it', () => {
  const facts = { hostCores: 2, generatorCores: 0.06, workers: [0.2, 0.2] };
  for (const waits of [waitsFor('database'), null]) {
    const { title, advice } = wordsOf(find({ ...facts, waits }));
    assert.match(title, /other programs, perhaps the database or a service that the API calls,/);
    assert.match(advice ?? '', /that do not work for the API/);
  }
  assert.match(wordsOf(find(facts)).title, /background load, not part of this run/);
});

test('only what the API was seen to call may be among the other programs', () => {
  const facts = { hostCores: 2, generatorCores: 0.06, workers: [0.2, 0.2] };
  const sqlite = { kind: 'sql', system: 'sqlite' };
  const http = { kind: 'http', system: null };
  /** @param {{kind: string, system: string | null}[]} statements */
  const saidOf = (...statements) =>
    wordsOf(find({ ...facts, waits: waitsFor('database'), calls: { statements } })).title;
  assert.match(saidOf(sqlite, { kind: 'connect', system: 'sqlite' }), /background load, not part/);
  assert.match(saidOf(sqlite, http), /perhaps a service that the API calls, took/);
  assert.match(saidOf({ kind: 'sql', system: 'postgresql' }), /perhaps the database, took/);
  assert.match(saidOf({ kind: 'sql', system: null }, http), /perhaps the database or a service/);
  const nameless = { kind: 'sql', system: null, text: null };
  assert.match(saidOf(sqlite, nameless), /background load, not part/);
  assert.match(saidOf(nameless), /perhaps the database or a service/);
});

test('a database inside the process is no other program: the library names it where no call is known', () => {
  const facts = { hostCores: 2, generatorCores: 0.06, workers: [0.2, 0.2] };
  const waits = waitsFor('database');
  for (const name of ['aiosqlite', 'sqlean', 'apsw']) {
    const { title } = wordsOf(find({ ...facts, waits, packages: [{ name }] }));
    assert.match(title, /perhaps a service that the API calls, took/);
  }
});

test('below an ORM, the dialect names a database inside the process', () => {
  const facts = { hostCores: 2, generatorCores: 0.06, workers: [0.2, 0.2] };
  const saidOf = (/** @type {string} */ file) => {
    const table = { frames: [{ function: 'visit_select', file }] };
    const packages = [{ name: 'sqlalchemy' }];
    return wordsOf(find({ ...facts, waits: waitsFor('database'), packages, table })).title;
  };
  assert.match(saidOf('sqlalchemy/dialects/sqlite/base.py'), /perhaps a service that the API/);
  assert.match(saidOf('django/db/backends/sqlite3/base.py'), /perhaps a service that the API/);
  assert.match(saidOf('sqlalchemy/dialects/postgresql/base.py'), /perhaps the database or a/);
});

test('CPU of other guests of the hypervisor is not background load', () => {
  const stolen = find({ hostCores: 2, generatorCores: 0.06, workers: [0.2, 0.2], stealCores: 1.2 });
  assert.match(
    wordsOf(stolen).title,
    /other guests of the hypervisor \(steal\), not part of this run/,
  );
  assert.deepEqual(wordsOf(stolen).evidence.slice(-2), [
    { label: 'background load', value: '0.24 cores' },
    { label: 'other guests of the hypervisor (steal)', value: '1.20 cores' },
  ]);
  assert.doesNotMatch(wordsOf(stolen).advice ?? '', /Stop other programs here/);
  const some = find({ hostCores: 2, generatorCores: 0.06, workers: [0.2, 0.2], stealCores: 0.2 });
  assert.match(wordsOf(some).title, /background load, not part of this run/);
  // together they took more than the run, though neither did alone
  const both = find({ hostCores: 2, generatorCores: 0.1, workers: [0.6], stealCores: 0.55 });
  assert.match(wordsOf(both).title, /background load, not part/);
});

test('a machine with idle or unknown CPU is not a finding', () => {
  assert.equal(find({ hostCores: 1.7, generatorCores: 0.4, workers: [0.6] }), undefined);
  assert.equal(find({ hostCores: null, generatorCores: 0.4, workers: [0.6] }), undefined);
  assert.equal(find({ hostCores: 2, generatorCores: null, workers: [0.6] }), undefined);
});
