import assert from 'node:assert/strict';
import zlib from 'node:zlib';
import { findExceeded } from '../../../lib/load/engine/http/connection/time-limits.js';
import { test } from '../../helpers/quiet.js';
import { runScenario, serve, serveBytes } from './http-run.js';

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

/**
 * @param {import('node:test').TestContext} t
 * @param {string | ((socket: import('node:net').Socket) => void)} answer
 * @param {Record<string, any>} [options]
 */
async function ask(t, answer, options = {}) {
  const { target } = await serveBytes(t, socket =>
    typeof answer === 'string' ? socket.end(answer) : answer(socket),
  );
  const { request = {}, ...rest } = options;
  return runScenario({ target, flow: [{ get: { url: '/', ...request } }], ...rest });
}

test('a few thousand bytes that decompress to 300 MB end the user without using the memory', async t => {
  const bomb = zlib.brotliCompressSync(Buffer.alloc(300e6), {
    params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 },
  });
  assert.ok(bomb.length < 100_000, `${bomb.length}`);
  const head = `HTTP/1.1 200 OK\r\ncontent-encoding: br\r\ncontent-length: ${bomb.length}\r\n\r\n`;
  const capture = { regexp: 'x', as: 'found' };
  const { counters } = await ask(
    t,
    socket => socket.end(Buffer.concat([Buffer.from(head), bomb])),
    {
      request: { capture },
    },
  );
  assert.equal(counters['errors.ERR_BUFFER_TOO_LARGE'], 1, JSON.stringify(counters));
});

for (const [title, bytes, code] of [
  ['no HTTP at all', 'SSH-2.0-OpenSSH_9\r\n', 'HPE_INVALID_CONSTANT'],
  ['a status that is no number', 'HTTP/1.1 abc OK\r\n\r\n', 'HPE_INVALID_STATUS'],
  [
    'two lengths',
    'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nok',
    'HPE_UNEXPECTED_CONTENT_LENGTH',
  ],
  [
    'a length that is no number',
    'HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\nok',
    'HPE_INVALID_CONTENT_LENGTH',
  ],
  [
    'a chunk size that is no number',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
    'HPE_INVALID_CHUNK_SIZE',
  ],
  [
    'a header with a space in its name',
    'HTTP/1.1 200 OK\r\na b: c\r\n\r\n',
    'HPE_INVALID_HEADER_TOKEN',
  ],
  ['headers without end', `HTTP/1.1 200 OK\r\na: ${'x'.repeat(70_000)}`, 'HPE_HEADER_OVERFLOW'],
  ['an end before the headers', 'HTTP/1.1 200 OK\r\na: b', 'ECONNRESET'],
  ['an end before anything', '', 'ECONNRESET'],
  [
    'an end in the middle of the body',
    'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nok',
    'ECONNRESET',
  ],
  [
    'an end between chunks',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n',
    'ECONNRESET',
  ],
]) {
  test(`${title}: ${code}`, async t => {
    const { counters, errors } = await ask(t, /** @type {string} */ (bytes));
    assert.equal(counters[`errors.${code}`], 1, JSON.stringify(counters));
    assert.equal(counters['http.requests'], 1);
    assert.equal(errors.length, 1);
  });
}

for (const [title, bytes] of [
  ['HTTP/1.0 without a length', 'HTTP/1.0 200 OK\r\n\r\nbody until the end'],
  [
    'chunks with trailers',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ntrailer: x\r\n\r\n2\r\nok\r\n0\r\nx: y\r\n\r\n',
  ],
  ['an early hint before the answer', `HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${OK}`],
  ['a status without a text', 'HTTP/1.1 200\r\ncontent-length: 0\r\n\r\n'],
]) {
  test(`${title} is a response`, async t => {
    const { counters, errors } = await ask(t, /** @type {string} */ (bytes));
    assert.deepEqual(errors, []);
    assert.equal(counters['http.codes.200'], 1);
  });
}

test('a connection reset in the middle of a body counts as a response and an error', async t => {
  const { counters, endpoints } = await ask(t, socket => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nsome');
    setTimeout(() => socket.resetAndDestroy(), 20);
  });
  assert.equal(counters['errors.ECONNRESET'], 1);
  assert.equal(counters['http.codes.200'], 1);
  assert.equal(endpoints['GET /'].statuses[200].total, undefined);
});

test('a response after the timeout is ETIMEDOUT', async t => {
  const begin = performance.now();
  const { counters } = await ask(t, () => {}, { config: { timeout: 0.3 } });
  assert.equal(counters['errors.ETIMEDOUT'], 1);
  const tookMs = performance.now() - begin;
  assert.ok(tookMs > 280 && tookMs < 2000, `${tookMs}`);
});

test('headers that arrive byte by byte do not extend the timeout', async t => {
  const { counters } = await ask(
    t,
    socket => {
      socket.write('HTTP/1.1 200 OK\r\na: ');
      const timer = setInterval(() => socket.write('x'), 20);
      socket.on('close', () => clearInterval(timer));
    },
    { config: { http: { timeout: 0.3 } } },
  );
  assert.equal(counters['errors.ETIMEDOUT'], 1);
});

test('a body may take longer than the timeout as long as it keeps coming', async t => {
  const { errors } = await ask(
    t,
    socket => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 30\r\n\r\n');
      let left = 30;
      const timer = setInterval(() => {
        socket.write('x');
        if (--left === 0) clearInterval(timer);
      }, 20);
    },
    { config: { timeout: 0.3 } },
  );
  assert.deepEqual(errors, []);
});

test('a body that pauses, or never ends, has its limits', () => {
  const body = { timeoutMs: 1000, connectedMs: 1, sentMs: 1, headersMs: 100, lastDataMs: 100 };
  const codeAt = (/** @type {number} */ nowMs, gotData = false, timeoutMs = 1000) =>
    findExceeded({ ...body, timeoutMs, gotData }, nowMs)?.code;
  assert.equal(codeAt(8000), undefined);
  assert.equal(codeAt(8200), 'ERR_SOCKET_TIMEOUT');
  assert.equal(codeAt(8200, true), undefined);
  assert.equal(codeAt(20_000, false, 30_000), undefined);
  assert.equal(codeAt(60_000, true), undefined);
  assert.equal(codeAt(60_200, true), 'ETIMEDOUT');
  assert.equal(codeAt(61_000, true, 90_000), undefined);
});

test('a hook may set the timeout of its request', async t => {
  const { counters } = await ask(t, () => {}, {
    processor: {
      hurry(/** @type {any[]} */ ...args) {
        args[0].timeout = 0.2;
        args.at(-1)();
      },
    },
    request: { beforeRequest: 'hurry' },
  });
  assert.equal(counters['errors.ETIMEDOUT'], 1);
});

for (const [title, request, code] of [
  ['300 MB pass through without being held', {}, null],
  [
    '300 MB that are read end the user, and are not held',
    { capture: { regexp: 'y', as: 'found' } },
    'ERR_BUFFER_TOO_LARGE',
  ],
])
  test(/** @type {string} */ (title), async t => {
    const chunk = Buffer.alloc(1_000_000, 'x');
    const { target } = await serve(t, (_request, response) => {
      response.setHeader('content-length', 300 * chunk.length);
      let left = 300;
      const write = () => {
        while (left-- > 0) if (!response.write(chunk)) return void response.once('drain', write);
        response.end();
      };
      write();
    });
    const beforeBytes = process.memoryUsage().arrayBuffers;
    let mostBytes = 0;
    const timer = setInterval(() => {
      mostBytes = Math.max(mostBytes, process.memoryUsage().arrayBuffers);
    }, 5);
    const get = { url: '/', .../** @type {object} */ (request) };
    const { counters } = await runScenario({ target, flow: [{ get }] });
    clearInterval(timer);
    if (code === null) assert.equal(counters['http.downloaded_bytes'], 300 * chunk.length);
    else assert.equal(counters[`errors.${code}`], 1, JSON.stringify(counters));
    assert.equal(counters['http.codes.200'], 1);
    assert.ok(mostBytes - beforeBytes < 150_000_000, `${mostBytes - beforeBytes}`);
  });

test('does not read bytes after a response as the next one', async t => {
  let asked = 0;
  const { target } = await serveBytes(t, socket => {
    asked += 1;
    socket.write(asked === 1 ? 'HTTP/1.1 204 No Content\r\ncontent-length: 4\r\n\r\nmore' : OK);
  });
  const { counters, errors } = await runScenario({
    target,
    flow: [{ get: { url: '/1' } }, { get: { url: '/2' } }],
  });
  assert.deepEqual(errors, []);
  assert.equal(counters['http.codes.204'], 1);
  assert.equal(counters['http.codes.200'], 1);
});

test('opens a new connection to a server that closes after each response', async t => {
  const { target, connections } = await serve(t, (_request, response) => {
    response.setHeader('connection', 'close');
    response.end();
  });
  const { errors } = await runScenario({
    target,
    flow: [{ loop: [{ get: { url: '/' } }], count: 5 }],
  });
  assert.deepEqual(errors, []);
  assert.equal(connections.size, 5);
});
