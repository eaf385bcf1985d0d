import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { readConfig } from '../../lib/base/config/read-config.js';
import { prepareLoad } from '../../lib/load/start-load.js';
import { chooseSlots } from '../../scenarios/csr-hooks.mjs';

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
    all.map(({ name }) => name),
    ['CSR – Login, load data, idle', 'CSR – Websockets', 'CSR – Create and delete appointments'],
  );
  for (const part of parts) {
    assert.deepEqual(
      part,
      all.find(({ name }) => name === part.name),
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

/** @param {[string, string, string][]} list day, from, to @param {string} timezone @returns {Promise<Record<string, any>>} */
async function choose(list, timezone) {
  const slots = Object.groupBy(
    list.map(([day, start_time, end_time]) => ({ day, start_time, end_time })),
    ({ day }) => day,
  );
  const vars = { slots, timezone };
  await chooseSlots({ vars });
  return vars;
}

test('an appointment and its new time are two of the free slots, on the clock of the office', async () => {
  const vars = await choose(
    [
      ['12/31/2030', '23:30', '23:45'],
      ['01/01/2031', '09:00', '10:00'],
    ],
    'Etc/GMT+8',
  );
  const times = [
    [vars.startTime, vars.endTime],
    [vars.otherStartTime, vars.otherEndTime],
  ];
  assert.deepEqual(times.toSorted(), [
    ['2031-01-01T07:30:00.000Z', '2031-01-01T07:45:00.000Z'],
    ['2031-01-01T17:00:00.000Z', '2031-01-01T18:00:00.000Z'],
  ]);
});

test('on the day on which the clock is changed a slot is as long as its office says', async () => {
  const slot = /** @type {[string, string, string]} */ (['03/31/2030', '01:30', '03:30']);
  const vars = await choose([slot, slot], 'Europe/Berlin');
  assert.deepEqual(
    [vars.startTime, vars.endTime],
    ['2030-03-31T00:30:00.000Z', '2030-03-31T01:30:00.000Z'],
  );
});

test('OFFICE_TIMEZONE is taken before the time zone that the API names', async t => {
  process.env.OFFICE_TIMEZONE = 'Etc/GMT+8';
  t.after(() => delete process.env.OFFICE_TIMEZONE);
  const slot = /** @type {[string, string, string]} */ (['03/31/2030', '01:30', '03:30']);
  const { startTime } = await choose([slot, slot], 'Europe/Berlin');
  assert.equal(startTime, '2030-03-31T09:30:00.000Z');
});

test('users who read the same list do not take the same slots, as long as there are others', async () => {
  const list = Array.from({ length: 40 }, (_, index) => {
    const hour = String(index).padStart(2, '0');
    return /** @type {[string, string, string]} */ ([`05/05/20${hour}`, '09:00', '09:30']);
  });
  const taken = new Set();
  for (let user = 0; user < 10; user++) {
    const { startTime, otherStartTime } = await choose(list, 'UTC');
    taken.add(startTime).add(otherStartTime);
  }
  assert.equal(taken.size, 20);
});

test('an office without free slots ends the user with that', async () => {
  await assert.rejects(choose([['05/05/2030', '09:00', '09:30']], 'UTC'), /fewer than two free/);
});
