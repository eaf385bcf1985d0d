import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startDemo } from '../../demo/start.js';
import { chooseSlots } from '../../scenarios/csr-hooks.mjs';
import { callApi, END, login, START } from './helpers.js';

const DAY_MS = 86_400_000;
/** As the public queue-management API says it. */
const CONFLICT = {
  code: 'CONFLICT_APPOINTMENT',
  message: 'Cannot create appointment due to scheduling conflict.  Please pick another time.',
};

/** @type {import('../../demo/start.js').Demo} */
let demo;
/** @type {string} */
let token;
/** @type {{office_id: number, service_id: number, start_time: string, end_time: string}} */
let slot;

/** @param {string} method @param {string} path @param {unknown} [body] */
const call = (method, path, body) => callApi(demo, method, path, { token, body });

before(async () => {
  // `npm test` runs hooks of many files first: minutes may pass until the token is used.
  demo = await startDemo({ auth: 'cached', workers: 1, tokenTtlSec: 3600 });
  token = await login(demo);
  slot = {
    office_id: Number(demo.env.OFFICE_ID),
    service_id: Number(demo.env.SERVICE_ID),
    start_time: START,
    end_time: END,
  };
});
after(() => demo.stop());

for (const [name, count] of Object.entries({
  citizens: 150,
  appointments: 150,
  categories: 50,
  channels: 50,
  exam_types: 60,
  offices: 3,
})) {
  test(`GET /${name}/ lists ${count} rows, and nothing without a token`, async () => {
    const { status, body } = await call('GET', `/${name}/`);
    assert.equal(status, 200);
    assert.equal(body[name].length, count);
    assert.equal((await callApi(demo, 'GET', `/${name}/`)).status, 401);
  });
}

test('each office has services of its own, the one of the settings among them', async () => {
  const { body } = await call('GET', '/offices/');
  const ids = body.offices.map((/** @type {{office_id: number}} */ office) => office.office_id);
  assert.deepEqual(ids, [1, 3, 7]);
  for (const id of ids) {
    const { body: answer } = await call('GET', `/services/?office_id=${id}`);
    assert.ok(answer.services.length >= 50);
  }
  const { body: own } = await call('GET', `/services/?office_id=${slot.office_id}`);
  assert.ok(
    own.services.some((/** @type {{service_id: number}} */ s) => s.service_id === slot.service_id),
  );
  assert.equal((await call('GET', '/services/')).body.services.length, 120);
});

test('echo gives back what it got, without a token', async () => {
  const url = `${demo.apiUrl}/api/v1/echo`;
  assert.deepEqual(await (await fetch(`${url}?a=1&b=%C3%BC`)).json(), { a: '1', b: 'ü' });
  const { status, body } = await callApi(demo, 'POST', '/echo', { body: { list: [1, 'ü'] } });
  assert.deepEqual([status, body], [200, { list: [1, 'ü'] }]);
  const headers = { 'content-type': 'text/html' };
  const page = await fetch(url, { method: 'POST', headers, body: '<b>bold</b>' });
  assert.equal(await page.text(), '<b>bold</b>');
  assert.equal(page.headers.get('content-type'), 'application/octet-stream');
});

test('what does not exist is 404 with a message that names it', async () => {
  const cases = /** @type {[string, string, object | undefined, RegExp][]} */ ([
    ['GET', '/services/?office_id=99', undefined, /^Office 99 does not exist/],
    ['POST', '/appointments/draft', { ...slot, office_id: 99 }, /^Office 99 does not exist/],
    ['POST', '/appointments/', { ...slot, service_id: 999 }, /^Service 999 does not exist/],
    ['POST', '/appointments/', { ...slot, service_id: 2 }, /^Service 2 is not offered by office 3/],
    ['PUT', '/appointments/99999/', slot, /^Appointment 99999 does not exist/],
    ['DELETE', '/appointments/99999/', undefined, /^Appointment 99999 does not exist/],
    ['DELETE', '/appointments/draft/1/', undefined, /^Draft appointment 1 does not exist/],
    ['GET', '/nothing/', undefined, /not found/],
  ]);
  for (const [method, path, body, message] of cases) {
    const answer = await call(method, path, body);
    assert.equal(answer.status, 404, path);
    assert.match(answer.body.message, message);
  }
});

test('a malformed body or query is 400 with a message that names the field', async () => {
  const cases = /** @type {[string, string, unknown, RegExp][]} */ ([
    ['GET', '/services/?office_id=x', undefined, /^office_id 'x'/],
    ['POST', '/appointments/', [], /no JSON object/],
    ['POST', '/appointments/', { ...slot, office_id: undefined }, /^office_id is missing/],
    ['POST', '/appointments/', { ...slot, service_id: true }, /^service_id is missing or no/],
    ['POST', '/appointments/', { ...slot, start_time: 'soon' }, /^start_time/],
    ['POST', '/appointments/', { ...slot, end_time: START }, /^end_time is not after/],
    ['POST', '/appointments/', { ...slot, comments: 7 }, /^comments is no text/],
  ]);
  for (const [method, path, body, message] of cases) {
    const answer = await call(method, path, body);
    assert.equal(answer.status, 400, JSON.stringify(body));
    assert.match(answer.body.message, message);
  }
});

test('draft, delete draft, create, update, delete: each is seen by the next request', async () => {
  const draft = await call('POST', '/appointments/draft', slot);
  assert.equal(draft.status, 201);
  assert.equal(draft.body.appointment.is_draft, true);
  const draftPath = `/appointments/draft/${draft.body.appointment.appointment_id}/`;
  assert.equal((await call('DELETE', draftPath)).status, 204);
  assert.equal((await call('DELETE', draftPath)).status, 404);

  // ids captured from a page or a CSV file arrive as text
  const created = await call('POST', '/appointments/', {
    ...slot,
    office_id: String(slot.office_id),
    citizen_name: 'Zoë <b>',
  });
  assert.equal(created.status, 201);
  assert.equal(created.body.appointment.citizen_name, 'Zoë <b>');
  const path = `/appointments/${created.body.appointment.appointment_id}/`;
  const updated = await call('PUT', path, { comments: 'later', end_time: '2031-05-05T18:30:00Z' });
  assert.equal(updated.status, 200);
  assert.equal(updated.body.appointment.comments, 'later');
  assert.equal(updated.body.appointment.start_time, '2031-05-05T18:00:00');
  assert.equal(updated.body.appointment.end_time, '2031-05-05T18:30:00');
  assert.equal((await call('DELETE', path)).status, 204);
  assert.equal((await call('PUT', path, slot)).status, 404);
});

test('slots are as long as the service takes, on weekdays, as in the public API', async () => {
  for (const [query, minutes, perDay] of /** @type {[string, number, number][]} */ ([
    ['?service_id=20', 15, 32],
    ['?service_id=5', 30, 16],
    ['?service_id=10', 45, 10],
    ['?service_id=3', 60, 8],
    ['', 30, 16],
  ])) {
    const { status, body } = await call('GET', `/offices/7/slots/${query}`);
    assert.equal(status, 200);
    const days = Object.entries(body);
    assert.equal(days.length, 30);
    assert.ok(days.every(([day]) => /^\d\d\/\d\d\/\d{4}$/.test(day)));
    // Today's may be over.
    for (const [day, slots] of days.slice(1)) {
      const isWeekend = [0, 6].includes(new Date(day).getDay());
      assert.equal(slots.length, isWeekend ? 0 : perDay, day);
      if (isWeekend) continue;
      const end_time = minutes === 60 ? '10:00' : `09:${minutes}`;
      assert.deepEqual(slots[0], { start_time: '09:00', end_time, no_of_slots: 4 });
    }
  }
  const { status, body } = await call('GET', '/offices/7/slots/?service_id=x');
  assert.deepEqual([status, /^service_id/.test(body.message)], [400, true]);
  assert.equal((await call('GET', '/offices/99/slots/')).status, 404);
  assert.equal((await callApi(demo, 'GET', '/offices/7/slots/')).status, 401);
});

test('a slot that is taken is not listed, and refused with what the public API says', async () => {
  const path = `/offices/1/slots/?service_id=${slot.service_id}`;
  const { body: slots } = await call('GET', path);
  const [day = '', listed] = Object.entries(slots).findLast(([, some]) => some.length > 0) ?? [];
  /** @type {Record<string, any>} */
  const vars = { slots: { [day]: listed }, timezone: 'Etc/GMT+8' };
  await chooseSlots({ vars });
  const time = { start_time: vars.startTime, end_time: vars.endTime };
  const book = (/** @type {string} */ where) =>
    call('POST', where, { ...slot, ...time, office_id: 1 });
  const ids = [];
  for (let counter = 0; counter < 4; counter++) {
    const { status, body } = await book('/appointments/draft');
    assert.equal(status, 201);
    ids.push(body.appointment.appointment_id);
  }
  assert.equal((await call('GET', path)).body[day].length, listed.length - 1);
  for (const where of ['/appointments/draft', '/appointments/'])
    assert.deepEqual(await book(where), { status: 400, body: CONFLICT });
  for (const id of ids) await call('DELETE', `/appointments/draft/${id}/`);
  assert.deepEqual((await call('GET', path)).body[day], listed);
});

test('a time outside the opening hours, over two slots or in the past is refused', async () => {
  for (const [start_time, end_time] of [
    ['2031-05-05T16:30:00Z', '2031-05-05T17:00:00Z'],
    ['2031-05-05T18:00:00Z', '2031-05-05T18:31:00Z'],
    ['2031-05-04T18:00:00Z', '2031-05-04T18:30:00Z'],
    ['2021-05-05T18:00:00Z', '2021-05-05T18:30:00Z'],
  ]) {
    const answer = await call('POST', '/appointments/draft', { ...slot, start_time, end_time });
    assert.deepEqual(answer, { status: 400, body: CONFLICT });
  }
});

test('40 users who write at the same time never meet a locked database', async () => {
  const statuses = await Promise.all(
    Array.from({ length: 40 }, async (_, week) => {
      const [start_time, end_time] = [START, END].map(time =>
        new Date(Date.parse(time) + week * 7 * DAY_MS).toISOString(),
      );
      const created = await call('POST', '/appointments/', { ...slot, start_time, end_time });
      const path = `/appointments/${created.body.appointment?.appointment_id}/`;
      const updated = await call('PUT', path, { comments: 'x' });
      const deleted = await call('DELETE', path);
      return `${created.status} ${updated.status} ${deleted.status}`;
    }),
  );
  assert.deepEqual([...new Set(statuses)], ['201 200 204']);
});

test('health needs no token', async () => {
  assert.deepEqual(await callApi(demo, 'GET', '/health'), { status: 200, body: { status: 'ok' } });
});
