import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import path from 'node:path';
import { test } from 'node:test';
import { readConfig } from '../../../lib/base/config/read-config.js';
import { LoadflameError } from '../../../lib/base/errors.js';
import { readScripts, runChecks } from '../../../lib/experiment/preflight/checks.js';
import { askFirstAddresses } from '../../../lib/experiment/preflight/first-addresses.js';
import { quoteAnswer } from '../../../lib/experiment/preflight/preflight.js';
import { prepareLoad } from '../../../lib/load/start-load.js';
import { readCertificate } from '../../helpers/certificates.js';
import { listen, serve } from '../../helpers/listen.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

const claims = { iss: 'http://localhost:8080', aud: 'shop', realm_access: { roles: ['clerk'] } };
const TOKEN = `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`;

/** @param {import('node:test').TestContext} t @param {string} target @param {string} script */
function prepare(t, target, script) {
  const folder = makeTempFolder(t);
  const file = path.join(folder, 's.yaml');
  writeFileSync(file, script);
  const config = readConfig({ env: { TARGET: target }, folder });
  return { prepared: prepareLoad(file, config), config };
}

/** @param {string} flow @param {string} [rest] */
const scriptOf = (flow, rest = '') =>
  `config: { variables: { currency: [usd, chf], isThere: 1 }, ${rest} }\nscenarios: [{ flow: [{ ${flow} }] }]`;

/** @param {Promise<unknown>} action @param {string} code @param {RegExp} text */
const refuses = (action, code, text) =>
  assert.rejects(action, error => {
    assert.ok(error instanceof LoadflameError, String(error));
    assert.equal(error.code, code);
    assert.match(`${error.message}\n${error.hint}`, text);
    return true;
  });

test('refuses a script of another API, and only warns of one that writes first', async t => {
  /** @type {string[]} */
  const asked = [];
  const target = await serve(t, (request, response) => {
    asked.push(request.url ?? '');
    response.statusCode = 404;
    response.end('<h1>Not Found</h1>');
  });
  const context = { token: null };
  const plain = prepare(t, target, scriptOf('think: 1}, {get: {url: "/rates/{{ currency }}"}'));
  const { config } = plain;
  const list = /status 404 for http.*\/rates\/usd\n.*init --url/;
  await refuses(askFirstAddresses(plain.prepared, { ...context, config }), 'SCRIPT_FOREIGN', list);
  assert.deepEqual(asked, ['/rates/usd']);

  const written = prepare(t, target, scriptOf('post: {url: /a}}, {get: {url: /a/1}'));
  const { warnings } = await askFirstAddresses(written.prepared, { ...context, config });
  assert.match(warnings.join(), /\/a\/1 responds with status 404: Not Found$/);

  const before = `before: { flow: [{ post: { url: /a } }] }\n${scriptOf('get: {url: /a/1}')}`;
  for (const script of [before, scriptOf('get: {url: /a/1, ifTrue: isThere}')]) {
    const { prepared, config } = prepare(t, target, script);
    assert.equal((await askFirstAddresses(prepared, { ...context, config })).warnings.length, 1);
  }

  const wanted = prepare(t, target, scriptOf('get: {url: /gone, expect: {statusCode: 404}}'));
  assert.deepEqual((await askFirstAddresses(wanted.prepared, { ...context, config })).warnings, []);
  // What only a running user knows can't be asked for.
  const captured = prepare(t, target, scriptOf('get: {url: "/a/{{ $loopCount }}"}'));
  asked.length = 0;
  await askFirstAddresses(captured.prepared, { ...context, config });
  assert.deepEqual(asked, []);
});

test('sends the load despite a slow or invalid address, but not without a target', async t => {
  const target = await serve(t, (request, response) => {
    // No one is kept waiting: this is a response without an end.
    if (request.url === '/') response.end();
    else response.destroy();
  });
  const slow = prepare(t, target, scriptOf('get: {url: /slow}'));
  const { warnings } = await askFirstAddresses(slow.prepared, { ...slow, token: null });
  assert.match(warnings.join(), /^http.*\/slow does not respond \(/);

  for (const url of ['"http://127.0.0.1:99999/"', '"http://[x/"']) {
    const { prepared, config } = prepare(t, target, scriptOf(`get: {url: ${url}}`));
    const { responses } = await askFirstAddresses(prepared, { config, token: null });
    assert.deepEqual(responses, []);
  }
  const nowhere = prepare(t, 'http://127.0.0.1:1', scriptOf('get: {url: /slow}'));
  const asked = askFirstAddresses(nowhere.prepared, { ...nowhere, token: null });
  await refuses(asked, 'TARGET_UNREACHABLE', /127\.0\.0\.1:1 does not respond/);
});

test('requests a target with an untrusted certificate if the run trusts it', async t => {
  const server = createServer(readCertificate('self-signed'), (_, response) => response.end());
  const target = await listen(t, server);
  const ask = (/** @type {string} */ rest) => {
    const { prepared, config } = prepare(t, target, scriptOf('get: {url: /}', rest));
    return askFirstAddresses(prepared, { config, token: null });
  };
  await refuses(ask(''), 'TARGET_UNTRUSTED', /not trusted here \(DEPTH_ZERO_SELF_SIGNED_CERT\)/);
  assert.deepEqual((await ask('tls: { rejectUnauthorized: false }')).responses, [
    `${target}/: status 200`,
  ]);
});

test('a target that asks for a certificate of ours is not one whose own is not trusted', async t => {
  const tls = { ...readCertificate('self-signed'), requestCert: true };
  const target = await listen(
    t,
    createServer(tls, (_, response) => response.end()),
  );
  const rest = 'tls: { rejectUnauthorized: false }';
  const { prepared, config } = prepare(t, target, scriptOf('get: {url: /}', rest));
  const asked = askFirstAddresses(prepared, { config, token: null });
  await refuses(asked, 'TARGET_UNREACHABLE', /CERTIFICATE/);
});

test('doctor trusts the certificate of a target if asked to, and otherwise says how', async t => {
  const server = createServer(readCertificate('self-signed'), (_, response) => response.end());
  const target = await listen(t, server);
  const file = path.join(makeTempFolder(t), 's.yaml');
  writeFileSync(file, scriptOf('get: {url: /}'));
  const config = readConfig({ env: { TARGET: target }, folder: path.dirname(file) });
  const ask = async (/** @type {boolean} */ insecure) => {
    const results = await runChecks(config, readScripts([file], config), { insecure });
    return results.filter(({ id }) => ['target', 'script', 'companion'].includes(id));
  };
  const [refused, ...later] = await ask(false);
  assert.equal(refused?.level, 'bad');
  assert.match(refused?.hint ?? '', /NODE_EXTRA_CA_CERTS=.*--insecure/);
  assert.deepEqual(
    later.map(({ level, text }) => [level, text]),
    later.map(() => ['skip', `not checked: ${refused?.text}`]),
  );
  assert.deepEqual(
    (await ask(true)).map(({ id, level }) => [id, level]),
    [
      ['target', 'ok'],
      ['script', 'ok'],
      ['companion', 'skip'],
    ],
  );
});

test('what a refusal says in its body and in its challenge is quoted once, and whole', () => {
  const why = `The audience of the token is wrong: expected ${'api-of-the-shop '.repeat(12).trim()}`;
  const challenge = `Bearer error="invalid_token", error_description="${why}"`;
  const headers = { 'www-authenticate': challenge };
  const both = { status: 401, text: JSON.stringify({ detail: why }), headers };
  assert.equal(quoteAnswer(both), `status 401: ${why}`);
  assert.equal(
    quoteAnswer({ ...both, text: '' }),
    `status 401: WWW-Authenticate invalid_token: ${why}`,
  );
});

test("reports a refused token in the API's own words, with the content of the token", async t => {
  const words = {
    expired: 'token expired',
    aud: 'audience is not shop-api',
    iss: 'issuer unknown, whatever the audience',
  };
  const target = await serve(t, (request, response) => {
    const [, reason] = (request.url ?? '').split('/');
    response.statusCode = reason === 'role' ? 403 : reason === 'broken' ? 500 : 401;
    response.setHeader('www-authenticate', 'Bearer error="invalid_token"');
    response.end(JSON.stringify({ message: words[/** @type {'aud'} */ (reason)] ?? 'denied' }));
  });
  const ask = (/** @type {string} */ url) => {
    const { prepared, config } = prepare(t, target, scriptOf(`get: {url: ${url}}`));
    return askFirstAddresses(prepared, { config, token: TOKEN });
  };
  const said = /issuer http:\/\/localhost:8080; audience shop; roles clerk/;
  for (const [url, text] of /** @type {[string, RegExp][]} */ ([
    ['/expired', /status 401: .*token expired.*WWW-Authenticate invalid_token.*\n.*clocks/],
    ['/aud', /audience is not shop-api[\s\S]*set OIDC_AUDIENCE/],
    ['/iss', /issuer unknown[\s\S]*\nOIDC_ISSUER has to be.*localhost is not 127\.0\.0\.1/],
    ['/role', /status 403: .*denied/],
    ['/role', said],
  ]))
    await refuses(ask(url), 'TARGET_REFUSED', text);
  // Some APIs respond so to a token without the role that they want.
  const { warnings } = await ask('/broken');
  assert.match(warnings.join(), /status 500: .*denied.*roles clerk/);
});

test('checks an address with each value of a repeated parameter, as the load sends it', async t => {
  /** @type {string[]} */
  const asked = [];
  const target = await serve(t, (request, response) => {
    asked.push(request.url ?? '');
    response.end('{}');
  });
  const flow = 'get: {url: /a, qs: {tag: [a, b], c: "{{ currency }}"}}';
  const { prepared, config } = prepare(t, target, scriptOf(flow));
  await askFirstAddresses(prepared, { config, token: null });
  assert.deepEqual(asked, ['/a?tag=a&tag=b&c=usd']);
});
