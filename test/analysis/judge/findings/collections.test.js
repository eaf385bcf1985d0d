import assert from 'node:assert/strict';
import { findCollections } from '../../../../lib/analysis/judge/findings/code.js';
import { test } from '../../../helpers/quiet.js';

const NONE = { count: 0, cpuMs: 0, longestMs: 0 };

/** @param {object} more @param {any} [profile] */
const findAll = (more, profile = null) =>
  findCollections(
    /** @type {any} */ ({
      profile,
      load: {
        collections: {
          ...{
            python: '3.11.7',
            objects: null,
            share: { value: 0.01 },
            endpoints: [],
            outside: NONE,
          },
          generations: [{ count: 9, cpuMs: 30, longestMs: 4 }, NONE, NONE],
          ...more,
        },
      },
    }),
  );

/** @param {object} more */
const find = more =>
  findAll(more).map(({ id, facts }) => ('isFull' in facts ? [id, facts.isFull] : [id]));

const full = (/** @type {number} */ longestMs) => ({
  generations: [{ count: 9, cpuMs: 30, longestMs: 4 }, NONE, { count: 1, cpuMs: 60, longestMs }],
});

/** @type {[title: string, more: object, found: unknown[]][]} */
const TRUTH = [
  ['little', {}, []],
  ['exactly 3 %', { share: { value: 0.03 } }, []],
  ['more than 3 %', { share: { value: 0.031 } }, [['garbage-collection', false]]],
  ['a share that is not known', { share: null }, []],
  ['a pause of 50 ms', full(50), []],
  ['a longer pause', { share: null, ...full(51) }, [['garbage-collection', true]]],
  ['3.14.0', { python: '3.14.0' }, [['incremental-collector']]],
  ['3.14.4', { python: '3.14.4' }, [['incremental-collector']]],
  ['3.14.5', { python: '3.14.5' }, []],
  ['without GIL', { python: '3.14.2t' }, []],
  ['a version that only begins like it', { python: '3.14.40' }, []],
];

for (const [title, more, found] of TRUTH)
  test(`garbage collection: ${title}`, () => assert.deepEqual(find(more), found));

test('a share whose interval begins at 0 is no finding: only a pause counts then', () => {
  const uncertain = { share: { value: 0.06, low: -0.05, high: 0.11 } };
  assert.deepEqual(find(uncertain), []);
  assert.deepEqual(find({ share: { value: 0.06, low: 0, high: 0.11 } }), []);
  assert.equal(find({ share: { value: 0.06, low: 0.01, high: 0.11 } }).length, 1);
  assert.equal(find({ ...uncertain, ...full(90) }).length, 1);
});

test('a share that may be small is a remark, unless a pause is long', () => {
  const severityOf = (/** @type {object} */ more) => findAll(more).map(({ severity }) => severity);
  assert.deepEqual(severityOf({ share: { value: 0.06, low: 0.01, high: 0.11 } }), ['info']);
  assert.deepEqual(severityOf({ share: { value: 0.06, low: 0.04, high: 0.08 } }), ['warn']);
  assert.deepEqual(severityOf(full(90)), ['warn']);
});

test('collections that a line of the app calls for are that cause, and no finding beside it', () => {
  const share = { value: 0.68, low: 0.52, high: 0.87 };
  const idsWith = (/** @type {string} */ id, /** @type {number} */ value) =>
    findAll({ share, ...full(53) }, { causes: [{ id, share: { value } }] }).map(one => one.id);
  assert.deepEqual(idsWith('explicit-garbage-collection', 0.66), []);
  assert.deepEqual(idsWith('explicit-garbage-collection', 0.2), ['garbage-collection']);
  assert.deepEqual(idsWith('deep-copy', 0.66), ['garbage-collection']);
});
