import assert from 'node:assert/strict';
import { listProcesses, readCommandLine } from '../../../lib/base/process/process-table.js';
import { readProbe } from '../../../lib/record/probes/read-probe.js';
import { serve } from '../../helpers/listen.js';
import { test } from '../../helpers/quiet.js';

const { signal } = new AbortController();

/** @param {string[]} command */
const ofCommand = command => readProbe({ url: null, command }, { signal });

test('a URL is asked with nothing of ours in the request, and its numbers are taken', async t => {
  /** @type {import('node:http').IncomingHttpHeaders | null} */
  let headers = null;
  const target = await serve(t, (request, response) => {
    headers = request.headers;
    response.end('{"queued": 3, "rate": 0.5, "name": "tasks", "since": null, "list": [1]}');
  });
  const url = `${target}/stats`;
  assert.deepEqual(await readProbe({ url, command: null }, { signal }), { queued: 3, rate: 0.5 });
  assert.deepEqual(Object.keys(headers ?? {}).sort(), ['connection', 'host']);
});

test('why a URL tells nothing is said in words', async t => {
  const target = await serve(t, (request, response) => {
    if (request.url === '/elsewhere') response.writeHead(302, { location: '/good' }).end();
    else if (request.url === '/broken') response.writeHead(500).end('{"queued": 1}');
    else if (request.url === '/page') response.end('<html>');
    else if (request.url === '/list') response.end('[1, 2]');
    else if (request.url === '/endless') response.end('1'.repeat(70_000));
    else response.end('{"queued": 1}');
  });
  const reasons = {
    '/elsewhere': 'it responded with status 302',
    '/broken': 'it responded with status 500',
    '/page': '"<html>" is no JSON object with a number in it',
    '/list': '"[1, 2]" is no JSON object with a number in it',
    '/endless': 'the response is longer than 64 KB',
  };
  for (const [path, message] of Object.entries(reasons)) {
    const asked = readProbe({ url: target + path, command: null }, { signal });
    await assert.rejects(asked, { message }, path);
  }
  const nobody = readProbe({ url: 'http://127.0.0.1:1/', command: null }, { signal });
  await assert.rejects(nobody, { message: 'GET failed: ECONNREFUSED' });
});

test('an answer that does not come is given up', async t => {
  const target = await serve(t, () => {});
  const startedAt = performance.now();
  const asked = readProbe({ url: target, command: null }, { signal });
  await assert.rejects(asked, { message: 'no response in 3 s' });
  assert.ok(performance.now() - startedAt < 5000);
});

test('a command prints its numbers, and gets no secret of our environment', async t => {
  process.env.OIDC_CLIENT_SECRET = 'hunter22';
  t.after(() => {
    delete process.env.OIDC_CLIENT_SECRET;
  });
  const script =
    'console.log(JSON.stringify({secrets: "OIDC_CLIENT_SECRET" in process.env ? 1 : 0}))';
  assert.deepEqual(await ofCommand([process.execPath, '-e', script]), { secrets: 0 });
});

test('a command that fails, prints without end or hangs is told, and ended', async () => {
  await assert.rejects(ofCommand(['false']), { message: 'it ended with 1' });
  await assert.rejects(ofCommand(['yes']), { message: 'it printed more than 64 KB' });
  const pids = new Set();
  const hanging = readProbe(
    { url: null, command: ['sleep', '60'] },
    { signal: AbortSignal.timeout(200), pids },
  );
  const [pid] = pids;
  await assert.rejects(hanging);
  assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
  assert.equal(pids.size, 0);
});

test('a pipeline that hangs is ended with all of its programs', async () => {
  const startedAt = performance.now();
  const hanging = readProbe(
    { url: null, command: ['sh', '-c', 'sleep 9.25 | cat'] },
    { signal: AbortSignal.timeout(200) },
  );
  await assert.rejects(hanging);
  assert.ok(performance.now() - startedAt < 2000);
  const left = listProcesses().filter(({ pid }) => readCommandLine(pid)?.[1] === '9.25');
  assert.deepEqual(left, []);
});
