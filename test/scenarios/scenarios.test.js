import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { readConfig } from '../../lib/config/read-config.js';
import { prepareLoad } from '../../lib/record/load/start-load.js';
import { setAppointmentTimes } from '../../scenarios/csr-hooks.mjs';

const FOLDER = path.resolve('scenarios');
const config = readConfig({
  env: { TARGET: 'http://127.0.0.1:5000', OIDC_ISSUER: 'http://127.0.0.1:5001' },
  folder: '/nowhere',
});
const prepare = (/** @type {string} */ name) => prepareLoad(path.join(FOLDER, name), config);

test('every scenario can be run with default settings', () => {
  const names = readdirSync(FOLDER).filter(name => name.endsWith('.yaml'));
  assert.deepEqual(names.sort(), [
    'csr-all.yaml',
    'csr-http.yaml',
    'csr-socket.yaml',
    'login.yaml',
    'my-api.yaml',
  ]);
  for (const name of names) assert.deepEqual(prepare(name).notes, [], name);
});

test('a flow is the same in every file that has it', () => {
  const { scenarios: all } = prepare('csr-all.yaml').script;
  const parts = ['csr-http.yaml', 'csr-socket.yaml'].flatMap(
    name => prepare(name).script.scenarios,
  );
  assert.deepEqual(
    all.map((/** @type {{name: string}} */ { name }) => name),
    ['CSR – Login, load data, idle', 'CSR – Websockets', 'CSR – Create and delete appointments'],
  );
  for (const part of parts) {
    assert.deepEqual(
      part,
      all.find((/** @type {{name: string}} */ { name }) => name === part.name),
    );
  }
  assert.equal(parts.length, all.length);
});

test('phases are warm-up, ramp and sustained, as long as settings say', () => {
  for (const name of ['csr-all.yaml', 'csr-http.yaml', 'csr-socket.yaml']) {
    assert.deepEqual(prepare(name).phases, [
      { name: 'warm-up', duration: 5, arrivalRate: 1, maxVusers: 20 },
      { name: 'ramp', duration: 10, arrivalRate: 1, rampTo: 3, maxVusers: 20 },
      { name: 'sustained', duration: 30, arrivalRate: 3, maxVusers: 20 },
    ]);
  }
});

test('appointments lie in the future and end after they start', () => {
  const context = { vars: /** @type {Record<string, string>} */ ({}) };
  setAppointmentTimes(context);
  const [start, end, later] = ['startTime', 'endTime', 'laterEndTime'].map(name =>
    Date.parse(context.vars[name] ?? ''),
  );
  assert.ok(
    Date.now() < Number(start) && Number(start) < Number(end) && Number(end) < Number(later),
  );
});
