/** A target or a provider whose answers are 300 MB long, or have no end, is told as what it is; nobody reads them whole. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { readConfig } from '../../../lib/base/config/read-config.js';
import { writeStarter } from '../../../lib/cli/write-starter.js';
import { checkTarget, get, runScenarioCheck } from '../../../lib/experiment/preflight/preflight.js';
import { discoverProvider } from '../../../lib/load/auth/discover-provider.js';
import { TokenSource } from '../../../lib/load/auth/token-source.js';
import { serve } from '../../helpers/listen.js';
import { test } from '../../helpers/quiet.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';
import { startFakeProvider } from '../../load/auth/helpers.js';

/** @import { ServerResponse } from 'node:http' */

const PART = Buffer.alloc(1e6, ' ');
const LARGE = 300;
/** Time and memory of one question, far below those of 300 MB. */
const [MOST_MS, MOST_HELD_BYTES] = [5000, 150e6];

/** @param {ServerResponse} response @param {number} parts of a MB */
function sendMuch(response, parts) {
  let left = parts;
  const write = () => {
    while (left-- > 0 && !response.destroyed)
      if (!response.write(PART)) return void response.once('drain', write);
    response.end();
  };
  write();
}

/** @type {Record<string, (response: ServerResponse) => void>} */
const ROUTES = {
  '/large': response => sendMuch(response, LARGE),
  '/endless': response => sendMuch(response, Number.POSITIVE_INFINITY),
  '/slow': response => {
    const timer = setInterval(() => response.write('data: x\n\n'), 50);
    response.once('close', () => clearInterval(timer));
  },
};

/** @param {import('node:test').TestContext} t @param {string} [onlyPath] answers at every path as at this one */
function serveMuch(t, onlyPath) {
  return serve(t, (request, response) => {
    response.setHeader('content-type', 'application/json');
    const route = ROUTES[onlyPath ?? request.url ?? ''];
    if (route) route(response);
    else response.writeHead(404).end();
  });
}

/** @template T @param {() => Promise<T>} what @returns {Promise<T>} */
async function within(what) {
  const before = process.memoryUsage();
  const startedAt = performance.now();
  let mostBytes = 0;
  const timer = setInterval(() => {
    const { arrayBuffers, heapUsed } = process.memoryUsage();
    mostBytes = Math.max(
      mostBytes,
      arrayBuffers + heapUsed - before.arrayBuffers - before.heapUsed,
    );
  }, 2);
  try {
    return await what();
  } finally {
    clearInterval(timer);
    assert.ok(mostBytes < MOST_HELD_BYTES, `${Math.round(mostBytes / 1e6)} MB held`);
    const tookMs = performance.now() - startedAt;
    assert.ok(tookMs < MOST_MS, `${Math.round(tookMs)} ms`);
  }
}

const noSettings = { env: {}, folder: '/nowhere' };

for (const where of Object.keys(ROUTES)) {
  test(`a target that responds ${where} counts as responding`, async t => {
    const target = await serveMuch(t, where);
    const answer = await within(() => get(`${target}/`));
    assert.equal(answer.status, 200);
    assert.ok(answer.text.length <= 65_536, `${answer.text.length}`);
    const config = readConfig({ ...noSettings, flags: { TARGET: target } });
    assert.equal(
      await within(() => checkTarget(config, /** @type {any} */ ({ variables: [] }))),
      null,
    );
  });
}

for (const where of ['/large', '/endless']) {
  test(`does not search for a value in a response ${where}`, async t => {
    const target = await serveMuch(t);
    const config = readConfig({ ...noSettings, flags: { TARGET: target } });
    const expect = { json: '$.rooms', value: '1' };
    const check = { name: null, get: where, expect, optional: false, hint: null, at: 'here' };
    const context = { config, target, token: null };
    await within(() =>
      assert.rejects(runScenarioCheck(check, context), {
        code: 'TARGET_ANSWER_TOO_LONG',
        exitCode: 4,
        message: `${target}${where} responds with more than 8 MB, which are not read`,
      }),
    );
  });

  test(`init reads no description that ${where} answers, and writes nothing`, async t => {
    const target = await serveMuch(t, where);
    const before = process.cwd();
    process.chdir(makeTempFolder(t));
    try {
      const starter = path.join(before, 'scenarios/my-api.yaml');
      const asked = () => writeStarter(target, starter);
      await within(() => assert.rejects(asked(), { code: 'TARGET_ANSWER_TOO_LONG' }));
      assert.deepEqual(readdirSync('.'), []);
    } finally {
      process.chdir(before);
    }
  });

  test(`a provider that answers ${where} in place of a document is refused`, async t => {
    const issuer = await serveMuch(t, where);
    const asked = () => discoverProvider({ issuer, clientId: 'client', clientSecret: null });
    await within(() =>
      assert.rejects(asked(), {
        code: 'OIDC_DISCOVERY_FAILED',
        message: /it responds with more than 1 MB/,
      }),
    );
  });

  test(`a provider that answers ${where} in place of a token is refused`, async () => {
    const fake = await startFakeProvider((_request, response) => {
      response.setHeader('content-type', 'application/json');
      ROUTES[where]?.(response);
    });
    const source = new TokenSource(fake.authConfig());
    try {
      await within(() =>
        assert.rejects(source.start(), {
          code: 'OIDC_TOKEN_FAILED',
          message: /it responds with more than 1 MB/,
        }),
      );
    } finally {
      await source.stop();
      await fake.stop();
    }
  });
}
