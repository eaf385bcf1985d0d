/** What a run teaches is a secret from then on, in whatever engine: here it is printed, and must not be read. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { serve } from '../helpers/listen.js';
import { usePythonServer } from './engine/socketio-harness.js';
import { makeFolder, startTestLoad } from './helpers.js';

/** A secret has no name that says so but where it is said to have one. */
const HOOKS = `
exports.make = (context, events, done) => {
  const make = name => [name, 'Zebra', 31].join('-');
  Object.assign(context.vars, { x: make('acknowledged'), y: make('answered') });
  done();
};
exports.addKey = (request, context, events, done) => {
  request.headers = { ...request.headers, 'x-api-key': 'hooked-Zebra-32' };
  done();
};
`;
const socketio = usePythonServer();

for (const engine of /** @type {const} */ (['loadflame', 'artillery'])) {
  test(`captures, cookies, columns and headers of hooks are secrets: ${engine}`, async t => {
    const api = await serve(t, (request, response) => {
      const session = { user: 'anna', token: 'nested-Zebra-34' };
      const said = `baked-Zebra-33 ${request.headers['x-api-key']} nested-Zebra-34 captured-Zebra-35 plain-Zebra-36`;
      response.setHeader('set-cookie', 'sid=baked-Zebra-33; HttpOnly');
      response.end(JSON.stringify({ access_token: 'captured-Zebra-35', session, said }));
    });
    const { running, files } = await startTestLoad(makeFolder(t), {
      script: `
config:
  target: "${socketio.target}"
  processor: ./hooks.cjs
  phases: [{ duration: 1, arrivalCount: 1 }]
  payload: { path: users.csv, fields: [user, password] }
scenarios:
  - engine: socketio
    flow:
      - function: make
      - emit: { channel: echo, data: { deep: "{{ x }}" } }
        acknowledge: { capture: { json: "$[0].deep", as: accessToken } }
      - emit: { channel: ask, data: { secret: "{{ y }}" } }
        response:
          channel: reply
          data: { about: { secret: "{{ y }}" } }
          capture: { json: "$[1].about.secret", as: it }
      - loop:
          - get:
              url: "${api}/"
              beforeRequest: addKey
              capture:
                - { json: $.session, as: whole }
                - { json: $.access_token, as: a }
                - { json: $.said, as: said }
        count: 1
      - log: "socket.io says {{ x }} and {{ it }}, http {{ said }}, the file {{ user }} {{ password }}"
`,
      files: { 'hooks.cjs': HOOKS, 'users.csv': 'anna,columned-Zebra-37\n' },
      settings: {},
      workers: 1,
      options: { engine },
    });
    const end = await running.ended;
    assert.equal(end.reason, 'complete', end.logTail);
    const said = `${'[redacted] '.repeat(4)}plain-Zebra-36`;
    assert.equal(
      /socket.io says .*/.exec(readFileSync(files.generatorLog, 'utf8'))?.[0],
      `socket.io says [redacted] and [redacted], http ${said}, the file anna [redacted]`,
    );
  });
}

for (const engine of /** @type {const} */ (['loadflame', 'artillery'])) {
  test(`a response gets nothing of the environment that the script does not name: ${engine}`, async t => {
    process.env.UNNAMED = 'planted-environment';
    t.after(() => delete process.env.UNNAMED);
    /** @type {string[]} */
    const urls = [];
    const api = await serve(t, (request, response) => {
      urls.push(decodeURIComponent(String(request.url)));
      response.end('{"id":"{{ $processEnvironment }} {{ $env.UNNAMED }} {{ $env }}"}');
    });
    const { running } = await startTestLoad(makeFolder(t), {
      script: `
config: { target: "${api}", phases: [{ duration: 1, arrivalCount: 1 }] }
scenarios:
  - flow:
      - get: { url: "/{{ $env.NAMED }}", capture: { json: $.id, as: id } }
      - get: { url: "/item/{{ id }}" }
`,
      settings: { NAMED: 'named' },
      workers: 1,
      options: { engine },
    });
    const end = await running.ended;
    assert.equal(end.reason, 'complete', end.logTail);
    assert.equal(urls[0], '/named');
    assert.match(String(urls[1]), /^\/item\//);
    assert.doesNotMatch(urls.join(), /planted-environment|PATH/);
  });
}
