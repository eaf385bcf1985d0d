import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findLimitingStage } from '../../../lib/study/model/find-limiting-stage.js';

/** @param {string} name @param {number} growth @param {number} meanBacklog @param {number} servers */
const stage = (name, growth, meanBacklog, servers) => ({
  name,
  slope: { value: growth, low: growth - 1, high: growth + 1 },
  meanBacklog,
  servers,
});

test('the stage before which work piles up is the limit, and not the idle ones after it', () => {
  const found = findLimitingStage([stage('dispatcher', 40, 600, 1), stage('workers', 0, 0.2, 8)]);
  assert.equal(found?.name, 'dispatcher');
  assert.equal(found?.kind, 'growing');
  assert.equal(
    found?.text,
    'dispatcher (1 server) is the limit: what waits before it grows by 40/s, and no more than that comes to workers',
  );
});

test('of two that grow it is the last, for the one before it only lets through too much', () => {
  const found = findLimitingStage([stage('dispatcher', 40, 600, 1), stage('workers', 20, 300, 2)]);
  assert.equal(found?.name, 'workers');
  assert.equal(found?.text, 'workers (2 servers) is the limit: what waits before it grows by 20/s');
});

test('in a closed loop the pile stands, and is the highest for its servers', () => {
  const found = findLimitingStage([stage('dispatcher', 0, 60, 1), stage('workers', 0, 10, 8)]);
  assert.equal(found?.name, 'dispatcher');
  assert.equal(found?.kind, 'standing');
});

test('where nothing piles up the pipeline is not the limit', () => {
  assert.equal(
    findLimitingStage([stage('dispatcher', 0, 0.3, 1), stage('workers', 0, 3, 8)]),
    null,
  );
  assert.equal(findLimitingStage([]), null);
  assert.equal(
    findLimitingStage([{ name: 'x', slope: null, meanBacklog: 0, servers: null }]),
    null,
  );
});
