import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findChokePoint } from '../../../lib/analysis/bottleneck/choke-point.js';

/** @param {string} name @param {boolean} isGrowing @param {number} meanBacklog @param {number | null} servers */
const stage = (name, isGrowing, meanBacklog, servers) => ({
  name,
  isGrowing,
  growthPerSec: null,
  isKnown: true,
  meanBacklog,
  servers,
});
/** @param {ReturnType<typeof stage>[]} stages @param {boolean} [isSaturated] */
const find = (stages, isSaturated = true) => findChokePoint(stages, isSaturated)?.name ?? null;

test('the stage before which work piles up is the choke point, and not the idle ones after it', () => {
  const stages = [stage('dispatcher', true, 600, 1), stage('workers', false, 0.2, 8)];
  assert.equal(find(stages), 'dispatcher');
  assert.equal(find(stages, false), 'dispatcher', 'whatever the load');
});

test('of two that grow it is the last, for the one before it only lets through too much', () => {
  assert.equal(
    find([stage('dispatcher', true, 600, 1), stage('workers', true, 300, 2)]),
    'workers',
  );
});

test('in a closed loop the backlog is constant, and the highest for its servers', () => {
  const stages = [stage('dispatcher', false, 60, 1), stage('workers', false, 10, 8)];
  assert.equal(find(stages), 'dispatcher');
  assert.equal(find(stages, false), null, 'a few wait at times below saturation, too');
});

test('where nothing piles up the pipeline has no choke point', () => {
  assert.equal(find([stage('dispatcher', false, 0.3, 1), stage('workers', false, 3, 8)]), null);
  assert.equal(find([]), null);
  assert.equal(find([stage('x', false, 0, null)]), null);
});
