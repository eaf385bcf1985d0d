import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { callLoadflame } from '../helpers/run-loadflame.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

const REQUEST =
  'ThreadWorker.handle_request (gunicorn/workers/gthread.py:771);Flask.wsgi_app (flask/app.py:1500)';
const CALL = 'get (httpx/_api.py:195)';
const TLS = `${CALL};Client.__init__ (httpx/_client.py:688);create_ssl_context (httpx/_config.py:30);load_verify_locations (ssl.py:500)`;
const JSON_TEXT = 'dumps (simplejson/__init__.py:1);_iterencode (simplejson/encoder.py:3)';
const VIEWS = { orders: 200, invoices: 150, users: 90, stock: 60, offices: 50 };
/** Of five views each makes a client per request and writes JSON slowly; the log-in makes a client, too. */
const STACKS = [
  `${REQUEST};validate (api/auth.py:9);introspect (api/tokens.py:31);${TLS} 130`,
  ...Object.entries(VIEWS).flatMap(([name, samples]) => [
    `${REQUEST};list_${name} (api/${name}.py:10);fetch_${name} (api/${name}.py:33);${TLS} ${samples}`,
    `${REQUEST};list_${name} (api/${name}.py:10);${JSON_TEXT} ${samples / 5}`,
    `${REQUEST};list_${name} (api/${name}.py:10) ${samples / 5}`,
  ]),
];

test('reports a cause of many paths once, with its places below it', async t => {
  const folder = makeTempFolder(t);
  const file = path.join(folder, 'calls.raw');
  writeFileSync(file, `${STACKS.join('\n')}\n`);
  const { stdout } = await callLoadflame(folder, ['report', file, '--full', '--profiles', folder]);
  const text = stdout.replaceAll(/\s+/g, ' ');
  const count = (/** @type {RegExp} */ words) => text.match(words)?.length ?? 0;
  // in the sentence on the path, in the advice
  assert.equal(count(/JSON without indentation/g), 1);
  assert.equal(count(/Turn off pretty printing/g), 1);
  assert.equal(count(/reuse one client/g), 1);
  assert.equal(count(/Make one client per process/g), 1);
  assert.match(
    text,
    /HTTP client per request: \d.*?29\.4 % of it: fetch_orders \(api\/orders\.py:33\), in list_orders/,
  );
  assert.match(text, /elsewhere/);
  // the same samples are one waste
  assert.match(text, /^✖ The largest waste is HTTP client per request/);
  assert.doesNotMatch(text, /\. More than \S+ of it makes a new HTTP client/);
  const reportFile = /report: (\S+)report\.html/.exec(stdout)?.[1] ?? '';
  const { findings, profile } = JSON.parse(readFileSync(`${reportFile}report.json`, 'utf8'));
  const titles = findings
    .filter((/** @type {any} */ { id }) => id === 'cause')
    .map((/** @type {any} */ { text: own }) => own.title);
  assert.equal(new Set(titles).size, titles.length);
  assert.match(
    titles.find((/** @type {string} */ title) => title.startsWith('TLS')),
    /a part of "HTTP client per request"/,
  );
  const [client] = profile.causes.filter(
    (/** @type {any} */ { id }) => id === 'http-client-per-request',
  );
  assert.equal(client.severity, 'bad');
  assert.equal(client.text.length, 6);
});
