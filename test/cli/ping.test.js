import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { escapeCode } from '../../lib/base/files/plain-text.js';
import { startGunicorn } from '../helpers/gunicorn.js';
import { COMPANION } from '../helpers/joined-companion.js';
import { serve } from '../helpers/listen.js';
import { callLoadflame, readError } from '../helpers/run-loadflame.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

const NAMED = {
  '0123abcd': {
    kind: 'sql',
    system: 's',
    text: 'SELECT 1',
    file: 'a.py',
    line: 3,
    function: null,
    relation: null,
  },
};
const WORKER = 'worker;desc="1f2e3d4c-7.4312"';

/** @param {object} value */
const toAscii = value => JSON.stringify(value).replace(/[^ -~]/g, escapeCode);

/** @param {import('node:test').TestContext} t @param {string} app @param {Record<string, string>} env */
const startApp = (t, app, env = { LOADFLAME: '1' }) =>
  startGunicorn(t, {
    workers: 1,
    app,
    args: ['-c', path.join(COMPANION, 'loadflame_companion.py')],
    env,
  });

test('counts statements, their line and the CPU of each request as the app itself does', async t => {
  const { url } = await startApp(t, 'sqlite_app:app');
  const folder = makeTempFolder(t);
  const { exit, stdout } = await callLoadflame(folder, ['ping', url, '-n', '4', '--json']);
  assert.equal(exit, 0);
  const { requests, calls, typical } = JSON.parse(stdout);
  assert.equal(requests.length, 4);
  assert.deepEqual(
    calls.map((/** @type {any} */ { n, file, line, kind }) => [n, file, line, kind]),
    [[[30, 30], 'sqlite_app.py', 18, 'sql']],
  );
  for (const { server, body, phases } of requests) {
    const { queryMs, loopMs } = JSON.parse(body);
    assert.ok(server.cpuMs >= queryMs + loopMs, `${server.cpuMs} < ${queryMs} + ${loopMs}`);
    assert.ok(phases.opening.tcpMs > 0 && phases.opening.dnsMs === null);
    assert.ok(phases.firstByteMs >= server.totalMs && phases.totalMs >= phases.firstByteMs);
  }
  const ofApp = requests.map((/** @type {any} */ { body }) => JSON.parse(body));
  const truth = Math.min(...ofApp.map((/** @type {any} */ own) => own.queryMs + own.loopMs));
  assert.ok(typical.cpuMs >= truth);
  assert.deepEqual(readdirSync(folder), [], 'it leaves a folder');
});

test('shows a garbage collection in the request that it ran in', async t => {
  const { url } = await startApp(t, 'garbage_app:app');
  const { stdout } = await callLoadflame(makeTempFolder(t), ['ping', `${url}/collect`, '-n', '2']);
  assert.match(stdout, /connect [^;]*; CPU [^;]*ms\s+of\s+garbage\s+collection/);
});

test('says what is not known without the companion, and how to get it', async t => {
  const { url } = await startApp(t, 'sqlite_app:app', {});
  const { exit, stdout } = await callLoadflame(makeTempFolder(t), ['ping', url]);
  assert.equal(exit, 0);
  assert.match(stdout, /Not known: CPU, statements/);
  assert.match(stdout, /loadflame companion <folder>/);
  assert.doesNotMatch(stdout, /CPU [\d.]/);
});

test('keeps the connection open where the server does, and shows only the first one opened', async t => {
  const url = await serve(t, (_, response) => response.end('ok'));
  const { stdout } = await callLoadflame(makeTempFolder(t), ['ping', url, '--json', '-n', '3']);
  const opened = JSON.parse(stdout).requests.map((/** @type {any} */ own) => own.phases.opening);
  assert.deepEqual(opened.map(Boolean), [true, false, false]);
});

test('sends more to what is quick, and shows the slowest of them', async t => {
  let isSlow = false;
  const url = await serve(t, (_, response) =>
    setTimeout(() => response.end('ok'), isSlow ? 300 : 0),
  );
  const quick = await callLoadflame('.', ['ping', url]);
  const [, more = 0] =
    /Requests: the first, and the slowest of (\d+) more/.exec(quick.stdout) ?? [];
  assert.ok(Number(more) >= 5 && Number(more) < 300, quick.stdout);
  assert.equal(quick.stdout.match(/first byte/g)?.length, 5);
  isSlow = true;
  assert.match((await callLoadflame('.', ['ping', url])).stdout, /Median of 5 requests/);
});

test('refuses what is no address', async () => {
  const { exit, stderr } = await callLoadflame('.', ['ping', 'orders']);
  assert.equal(readError(stderr).code, 'PING_NO_ADDRESS', stderr);
  assert.equal(exit, 2);
});

test('ends with 5 if a response fails, and with 4 if there is none', async t => {
  const url = await serve(t, (_, response) => {
    response.writeHead(404, { 'content-type': 'application/json' });
    response.end('{"detail": "no such order"}');
  });
  const folder = makeTempFolder(t);
  const failed = await callLoadflame(folder, ['ping', `${url}/orders/7`, '-n', '2']);
  assert.equal(failed.exit, 5);
  assert.match(failed.stdout, /✖ GET .*\/orders\/7: 404/);
  assert.match(failed.stdout, /2 of 2 requests failed\.\s+no such order/);
  assert.equal((await callLoadflame(folder, ['ping', 'http://127.0.0.1:1/'])).exit, 4);
  const noLogin = await callLoadflame(folder, ['ping', url, '--login']);
  assert.deepEqual([noLogin.exit, /OIDC_ISSUER/.test(noLogin.stderr)], [2, true]);
  assert.match((await callLoadflame(folder, ['ping', '127.0.0.1:1'])).stderr, /PING_NO_ADDRESS/);
});

test('takes figures only from the response to which a redirect leads', async t => {
  const url = await serve(t, (request, response) => {
    const isLast = request.url === '/new';
    const calls = { calls: [['0123abcd', isLast ? 2 : 9, 70, null, 0, []]], named: NAMED };
    response.writeHead(isLast ? 200 : 301, {
      ...(isLast ? {} : { location: '/new' }),
      'server-timing': `total;dur=1.5, cpu;dur=${isLast ? 3 : 1}, ${WORKER}`,
      'loadflame-calls': JSON.stringify(calls),
    });
    response.end();
  });
  const folder = makeTempFolder(t);
  const { stdout } = await callLoadflame(folder, ['ping', `${url}/old`, '-n', '3', '--json']);
  const { requests, typical, calls } = JSON.parse(stdout);
  assert.deepEqual([requests.length, typical.count, typical.cpuMs, calls[0].n], [6, 3, 3, [2, 2]]);
  const printed = await callLoadflame(folder, ['ping', `${url}/old`, '-n', '5']);
  assert.match(printed.stdout, /✔ GET .*\/new: 200\n.*Median of 5 requests.*CPU 3\.0 ms/);
});

test('gives the CPU of a request as a load does: with work around it, and the mean of collections', async t => {
  const cpus = [60, 20, 22, 85, 21, 20];
  const gcs = [900_000, 0, 0, 64_000, 0, 0]; // the first report is also of requests before
  let n = 0;
  const url = await serve(t, (_, response) => {
    const timing = `total;dur=70, cpu;dur=${cpus[n]}, ${WORKER}, around;dur=${n === 0 ? 0 : 2}, ended;dur=1, now;dur=1796004451537.4`;
    const gc = `companion;desc="0.1.0", gc;desc="3.11.7 r2:1:${gcs[n++]}:64000 o9"`;
    response.writeHead(200, { 'server-timing': `${timing}, ${gc}` }).end();
  });
  const { stdout } = await callLoadflame(makeTempFolder(t), ['ping', url, '-n', '5']);
  const text = stdout.replaceAll(/\s+/g, ' ');
  // median of 0, 21, 23, 22, 22; 2 ms around it; 64 ms in four requests
  assert.match(
    text,
    /Median of 5 requests.*CPU 40 ms as in a load's mean, 16 ms of it in garbage collections/,
  );
  assert.match(text, /can be 1\.8 times/);
  n = 0;
  // of 20, 22, 85, 21 and 20, by a jackknife of five, which fewer do not have
  const six = await callLoadflame(makeTempFolder(t), ['ping', url, '-n', '6']);
  assert.match(six.stdout, /Median of 6 requests.*CPU 36\.3 ms\s+±\s+25\.3 ms\s+as in/s);
});

test('the CPU of many requests is that of their second half, which client and server are warm for', async t => {
  let n = 0;
  const url = await serve(t, (_, response) => {
    const timing = `total;dur=9, cpu;dur=${n++ < 12 ? 8 : 4}, ${WORKER}`;
    response.writeHead(200, { 'server-timing': timing }).end();
  });
  const cpuOf = async (/** @type {string} */ times) => {
    const { stdout } = await callLoadflame('.', ['ping', url, '-n', times, '--json']);
    return JSON.parse(stdout).typical.cpuMs;
  };
  assert.equal(await cpuOf('22'), 4);
  n = 0;
  assert.equal(await cpuOf('18'), 8);
});

test('says of a request how many of its calls have no name yet, not of all requests together', async t => {
  const url = await serve(t, (_, response) => {
    response.writeHead(200, {
      'server-timing': `total;dur=1.5, cpu;dur=1, ${WORKER}`,
      'loadflame-calls': JSON.stringify({
        calls: [['89abcdef', 1, 70, null, 0, []]],
        more: [7, 9],
      }),
    });
    response.end();
  });
  const { stdout } = await callLoadflame(makeTempFolder(t), ['ping', url, '-n', '4']);
  assert.match(stdout, /8\s+calls without a name yet: more requests/);
});

test('prints hostile headers, bodies and reports as text, and no secret', async t => {
  const secret = 'Zm9vYmFyLXNlY3JldC0xMjM0';
  const evil = '\u001b[31m\u009b2J\u202e<img src=x onerror=alert(1)>`$(reboot)`';
  /** @type {string | undefined} */
  let sent;
  const url = await serve(t, (request, response) => {
    sent = request.headers['x-api-key']?.toString();
    const name = {
      kind: 'sql',
      system: 's',
      text: evil,
      file: 'a.py',
      line: 3,
      function: null,
      relation: null,
    };
    // Node refuses such headers, and other servers do not.
    const bytes = [
      'HTTP/1.1 200 OK',
      `Server-Timing: total;dur=1.5, cpu;dur=1.1, ${WORKER}`,
      `Loadflame-Calls: ${toAscii({ calls: [['0123abcd', 2, 70, null, 0, []]], named: { '0123abcd': name } })}`,
      `X-Evil: ${evil.replace(/[^ -~\u009b]/g, '')}`,
      `X-Long: ${'a'.repeat(5000)}`,
      `X-Echo: ${sent}`,
      'Set-Cookie: sid=0123456789abcdef0123456789abcdef',
      ...Array.from({ length: 60 }, (_, at) => `X-${at}: ${at}`),
      'Content-Length: 300',
    ];
    response.socket?.end(
      `${bytes.join('\r\n')}\r\n\r\n${`${evil} key=${sent} `.padEnd(300, 'x').slice(0, 300)}`,
      'latin1',
    );
  });
  const folder = makeTempFolder(t);
  writeFileSync(path.join(folder, 'envs.sh'), `KEY=${secret}\n`);
  for (const more of [[], ['--json']]) {
    const args = [
      'ping',
      `${url}/a?token=${secret}`,
      '-n',
      '1',
      '--header',
      'X-Api-Key: $KEY',
      ...more,
    ];
    const { exit, stdout, stderr } = await callLoadflame(folder, args);
    assert.equal(exit, 0, stderr + stdout);
    assert.equal(sent, secret);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be printed
    assert.doesNotMatch(stdout, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/);
    assert.ok(
      !(stdout + stderr).includes(secret) && !stdout.includes('0123456789abcdef0123456789'),
    );
    assert.ok(!stdout.includes('a'.repeat(400)), 'a long header');
    assert.match(stdout, more.length > 0 ? /"omittedHeaders": 2\d/ : /2\d more headers/);
    assert.match(stdout, /onerror=alert\(1\)/);
  }
});
