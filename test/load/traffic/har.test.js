import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fillTemplate } from '../../../lib/load/engine/flow/template.js';
import { record } from './record-har.js';

const PASSWORD = 'correct horse 1';

test('captures what comes again from JSON, headers, cookies and pages', t => {
  const { flow, captured } = record(t, [
    {
      html: '<form><input type="hidden" name="csrf" value="f0rm-t0ken"></form>',
      answered: { 'Set-Cookie': 'csrftoken=c00kie-1234; Path=/' },
    },
    {
      url: '/login',
      method: 'POST',
      form: { csrf: 'f0rm-t0ken', user: 'ann', password: PASSWORD },
      sent: { 'X-CSRFToken': 'c00kie-1234', Cookie: 'csrftoken=c00kie-1234' },
      data: { data: { 'access-token': 'opaque-t0ken-of-ann' } },
    },
    {
      url: '/rooms/',
      sent: { Authorization: 'Bearer opaque-t0ken-of-ann' },
      data: { count: 2, rooms: [{ id: 7 }, { id: 9, from: '2026-11-21T09:00:00Z' }] },
    },
    { url: '/rooms/9/free?page=2&from=2026-11-21T09%3A00%3A00Z', answered: { ETag: '"v-77"' } },
    {
      url: '/bookings',
      method: 'POST',
      json: { room_id: 9, count: 2, note: 'a {{ $env.HOME }}', from: '2026-11-21T09:00:00Z' },
      sent: { 'If-Match': '"v-77"' },
    },
  ]);
  assert.deepEqual(
    captured.map(({ as }) => as),
    ['csrftoken_1', 'csrf_2', 'access_token_3', 'id_4', 'from_5', 'etag_6'],
  );
  assert.deepEqual(flow, [
    {
      get: {
        url: '/',
        capture: [
          { cookie: 'csrftoken', as: 'csrftoken_1' },
          { selector: 'input[name="csrf"]', attr: 'value', as: 'csrf_2' },
        ],
      },
    },
    { think: 0.9 },
    {
      post: {
        url: '/login',
        headers: { 'x-csrftoken': '{{ csrftoken_1 }}' },
        form: {
          csrf: '{{ csrf_2 }}',
          user: '{{ $env.RECORDED_USER }}',
          password: '{{ $env.RECORDED_PASSWORD }}',
        },
        capture: [{ json: '$.data["access-token"]', as: 'access_token_3' }],
      },
    },
    { think: 0.9 },
    {
      get: {
        url: '/rooms/',
        headers: { authorization: 'Bearer {{ access_token_3 }}' },
        capture: [
          { json: '$.rooms[1].id', as: 'id_4' },
          { json: '$.rooms[1].from', as: 'from_5' },
        ],
      },
    },
    { think: 0.9 },
    {
      get: {
        url: '/rooms/{{ id_4 }}/free',
        qs: { page: '2', from: '{{ from_5 }}' },
        capture: [{ header: 'etag', as: 'etag_6' }],
      },
    },
    { think: 0.9 },
    {
      post: {
        url: '/bookings',
        headers: { 'if-match': '{{ etag_6 }}' },
        json: {
          room_id: '{{ id_4 }}',
          count: 2,
          note: 'a {{ brace }}{{ brace }} $env.HOME }}',
          from: '{{ from_5 }}',
        },
      },
    },
  ]);
});

test('a token of the identity provider is the login of the run, another one a secret variable', t => {
  const claims = Buffer.from('{"iss":"https://id.example.org/realm"}').toString('base64url');
  const token = `eyJhbGciOiJub25lIn0.${claims}.c2lnbmF0dXJl`;
  const key = 'k3y-of-the-api-0123456789';
  const { flow, login, variables, session } = record(t, [
    { url: '/', html: '<p>hello</p>' },
    {
      url: 'https://id.example.org/realm/token',
      method: 'POST',
      form: { grant_type: 'authorization_code', client_id: 'shop', code: 'abc' },
      data: { access_token: token },
    },
    { url: '/me', sent: { Authorization: `Bearer ${token}`, 'X-Api-Key': key } },
  ]);
  assert.deepEqual(login, { issuer: 'https://id.example.org/realm', clientId: 'shop' });
  assert.deepEqual(flow.at(-1), {
    get: { url: '/me', headers: { 'x-api-key': '{{ $env.RECORDED_X_API_KEY }}' } },
  });
  assert.equal(variables.RECORDED_X_API_KEY?.secret, true);
  assert.deepEqual([...session.leftOut], [['login', ['POST /realm/token']]]);
});

test('a login of the API itself is a part of the flow', t => {
  const { flow, login } = record(t, [
    {
      url: '/token',
      method: 'POST',
      form: { grant_type: 'password', username: 'ann', password: PASSWORD },
      data: { access_token: 'opaque-t0ken-of-ann' },
    },
    { url: '/me', sent: { Authorization: 'Bearer opaque-t0ken-of-ann' } },
  ]);
  assert.equal(login, null);
  assert.deepEqual(flow.at(-1), {
    get: { url: '/me', headers: { authorization: 'Bearer {{ access_token_1 }}' } },
  });
});

test('an id that was deleted and given out again is that of the newest response', t => {
  const { flow } = record(t, [
    { url: '/drafts', method: 'POST', data: { draft_id: 1 } },
    { url: '/drafts/1', method: 'DELETE' },
    { url: '/orders', method: 'POST', data: { order_id: 1 } },
    { url: '/orders/1' },
  ]);
  assert.deepEqual(flow.at(-1), { get: { url: '/orders/{{ order_id_2 }}' } });
});

test('secrets in names, numbers and parameters become variables, too', t => {
  const secrets = ['ann@example.org', '918273', 'k3y0123456789abcdefgh'];
  const [email = '', pin, key = ''] = secrets;
  const { flow, variables, session } = record(t, [
    { url: `/a?${key}&to=${email}` },
    { url: `/users/${encodeURIComponent(email)}` },
    { url: `/users/${encodeURIComponent(email)}/${key}1` },
    { url: '/b', method: 'POST', json: { pin: Number(pin), [email]: [{ key }] } },
    {
      url: '/c',
      method: 'POST',
      postData: { mimeType: 'text/xml', text: `<password>${pin}</password>` },
    },
    {
      url: '/d',
      method: 'POST',
      postData: { mimeType: 'application/x-www-form-urlencoded', text: 'a=1&a=2' },
    },
  ]);
  const text = JSON.stringify([flow, variables]);
  for (const secret of secrets) assert.ok(!text.includes(secret), text);
  assert.deepEqual(session.leftOut.get('body'), ['POST /c', 'POST /d']);
  assert.deepEqual(Object.keys(flow.at(-1) ?? {}), ['post']);
});

test('recorded braces are sent as recorded, and fill in nothing', t => {
  const secret = 's3cret-of-the-environment';
  const braces = [
    '{{ customer }}',
    '{{{ $processEnvironment.PLANTED }}',
    '{{{{ $env.PLANTED }}}}',
    '{a}',
  ];
  const { flow, hasBraces } = record(t, [
    { url: `/x/${encodeURIComponent(braces[1] ?? '')}?q=${encodeURIComponent(braces[1] ?? '')}` },
    { url: '/y', method: 'POST', json: { braces, [braces[2] ?? '']: 1 } },
  ]);
  assert.ok(hasBraces);
  const vars = {
    brace: '{',
    $env: { PLANTED: secret },
    $processEnvironment: { PLANTED: secret },
    customer: secret,
  };
  const [get, , post] = /** @type {any[]} */ (flow).map(step => fillTemplate(step, { vars }));
  assert.equal(get.get.url, '/x/%7B%7B%7B%20%24processEnvironment.PLANTED%20%7D%7D');
  assert.deepEqual(get.get.qs, { q: braces[1] });
  assert.deepEqual(post.post.json, { braces, [braces[2] ?? '']: 1 });
});

test('a name with braces in a response is no template in a capture', t => {
  const name = '{{ $env.PLANTED }}';
  const { flow } = record(t, [
    {
      answered: { 'Set-Cookie': `x${name}=cookie-value-1`, [`x-${name}-id`]: 'header-value-1' },
      html: `<meta name="x${name}" content="of-a-page-123">`,
    },
    { url: '/?a=cookie-value-1&b=header-value-1&c=of-a-page-123' },
  ]);
  assert.ok(!JSON.stringify(flow).includes('{{'), JSON.stringify(flow));
});

test('reads a page of nested elements in linear time', t => {
  const html = `${'<div>'.repeat(2e5)}<INPUT Name='a' value="of-a-page>&amp;123">${'<input "'.repeat(1e5)}`;
  const startedUs = process.cpuUsage().user;
  const { flow } = record(t, [{ html }, { url: '/?a=of-a-page%3E%26123' }]);
  assert.ok(process.cpuUsage().user - startedUs < 2e6);
  assert.equal(/** @type {any} */ (flow[0])?.get.capture[0].selector, 'input[name="a"]');
});

test('secrets, data of persons and of payment become variables, wherever they are', t => {
  const hex = '9f86d081884c7d659a2feaa0c55ad015';
  const { flow, variables } = record(t, [
    {
      url: `/reset/${hex}?t=${hex}&filter=${encodeURIComponent('{"password":"hunter2"}')}&next=${encodeURIComponent('/a?pw=hunter2')}`,
      method: 'POST',
      json: {
        name: 'Anna Berg',
        iban: 'DE89370400440532013000',
        card: '4111 1111 1111 1111',
        cvv: '123',
        otp: 123456,
        profile: { phone: '+49 151 23456789', birthday: '1980-02-03', shippingAddress: 'Road 1' },
        page: 2,
        product_name: 'Mug',
      },
    },
    { url: '/password/reset', method: 'POST', form: { 'user[password]': 'hunter2', kind: 'new' } },
  ]);
  const script = JSON.stringify(flow);
  for (const text of ['Anna', 'DE89', '4111', '123', '+49', '1980', 'Road', 'hunter2', hex])
    assert.ok(!script.includes(text), `${text} in ${script}`);
  for (const text of ['"page":2', '"product_name":"Mug"', '/password/reset', '"kind":"new"'])
    assert.ok(script.includes(text), `${text} in ${script}`);
  assert.ok(Object.values(variables).every(({ secret }) => secret));
});

test('joins a value to the equal key or the list of that name, and otherwise only if it is rare', t => {
  const reference = '7f3c9a21d5';
  const { flow, captured, literal } = record(t, [
    { url: '/timezones', data: [{ timezone_id: 1 }] },
    {
      url: '/citizens',
      data: [3, 4, 6].map(id => ({ citizen_id: id, channel_id: id, counter_id: 1 })),
    },
    { url: '/services', data: { data: [{ id: 5 }, { id: 6, ref: reference }] } },
    { url: '/offices', data: [{ office_id: 1 }] },
    {
      url: '/marks',
      data: Array.from({ length: 9 }, (_, at) => ({ [`mark_${at}`]: 'mark-0042' })),
    },
    {
      url: '/bookings',
      method: 'POST',
      json: { service_id: 6, office: { id: 1 }, room_id: 3, note: 'mark-0042', about: reference },
    },
  ]);
  assert.deepEqual(flow.at(-1)?.post, {
    url: '/bookings',
    json: {
      service_id: '{{ id_1 }}',
      office: { id: '{{ office_id_2 }}' },
      room_id: 3,
      note: 'mark-0042',
      about: '{{ ref_3 }}',
    },
  });
  assert.deepEqual(captured, [
    {
      as: 'id_1',
      from: '$.data[1].id of GET /services',
      to: 'service_id of POST /bookings',
      why: 'name',
    },
    {
      as: 'office_id_2',
      from: '$[0].office_id of GET /offices',
      to: 'office of POST /bookings',
      why: 'name',
    },
    {
      as: 'ref_3',
      from: '$.data[1].ref of GET /services',
      to: 'about of POST /bookings',
      why: 'rare',
    },
  ]);
  assert.deepEqual(literal, [
    { at: 'room_id of POST /bookings', places: 2 },
    { at: 'note of POST /bookings', places: 9 },
  ]);
});

test('a short value of two fields with different names stays, a long random one does not', t => {
  const long = '6f1d2c9a-7b1e-4c55-9e0a-1f2e3d4c5b6a';
  const { flow, captured, literal } = record(t, [
    { url: '/rooms', data: [{ room_no: 734512, price: 734512, owner: long, author: long }] },
    { url: '/pay', method: 'POST', json: { amount: 734512, by: long } },
  ]);
  assert.deepEqual(/** @type {any} */ (flow.at(-1)).post.json, {
    amount: 734512,
    by: '{{ owner_1 }}',
  });
  assert.deepEqual(
    captured.map(({ why }) => why),
    ['rare'],
  );
  assert.deepEqual(literal, [{ at: 'amount of POST /pay', places: 2 }]);
});

test('offers days near the recording as variables, and no others', t => {
  const { flow, variables, dates } = record(t, [
    { url: '/slots/2026-11-21?from=2026-11-19T09%3A00%3A00Z', data: {} },
    {
      url: '/people',
      method: 'POST',
      json: { joined: '1987-03-02', at: '2026-11-21', code: '2026-11-215' },
    },
  ]);
  assert.deepEqual(dates, [
    { as: 'RECORDED_DATE_PLUS_1', days: 1 },
    { as: 'RECORDED_DATE_MINUS_1', days: -1 },
  ]);
  assert.deepEqual(variables.RECORDED_DATE_PLUS_1?.default, '2026-11-21');
  assert.deepEqual(flow[0]?.get, {
    url: '/slots/{{ $env.RECORDED_DATE_PLUS_1 }}',
    qs: { from: '{{ $env.RECORDED_DATE_MINUS_1 }}T09:00:00Z' },
  });
  assert.deepEqual(flow.at(-1)?.post, {
    url: '/people',
    json: { joined: '1987-03-02', at: '{{ $env.RECORDED_DATE_PLUS_1 }}', code: '2026-11-215' },
  });
});
