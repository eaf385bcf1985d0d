/** A study's own requests reach a target behind a login, and nobody else gets its token. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import https from 'node:https';
import path from 'node:path';
import { test } from 'node:test';
import { startProvider } from '../../../demo/start-provider.js';
import { createRedactor } from '../../../lib/files/redaction.js';
import { readProbe } from '../../../lib/record/probes/read-probe.js';
import { planStudy } from '../../../lib/study/plan-study.js';
import { runStep, startTarget } from '../../../lib/study/run/start-target.js';
import { studyFiles } from '../../../lib/study/run/study-folder.js';
import { readSecrets } from '../../../lib/study/services/service-environment.js';
import { readStudy } from '../../../lib/study/study-file/read-study.js';
import { readCertificate } from '../../helpers/certificates.js';
import { listen, serve } from '../../helpers/listen.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';
import { writeStudy } from '../study-file/write-study.js';

const { signal } = new AbortController();
const USER = { username: 'cfms-bench', password: 'hunter2-of-the-test' };
const CLIENT_SECRET = 'client-secret-of-the-test';

/**
 * The target of a study's only block, as a run has it.
 * @param {import('node:test').TestContext} t
 * @param {string} text of the study file
 * @param {{insecure?: boolean}} [options]
 */
async function start(t, text, { insecure = false } = {}) {
  const study = readStudy(writeStudy(t, text));
  const plan = planStudy(study, { seed: 1 });
  const redactor = createRedactor();
  const folder = makeTempFolder(t);
  const attempt = /** @type {any} */ ({
    ...{
      plan,
      redactor,
      insecure,
      secrets: readSecrets(study),
      signal,
      onProgress: () => {},
      onNote: () => {},
    },
    files: studyFiles(folder),
    live: path.join(folder, 'live'),
    places: { ports: {}, work: folder },
  });
  const target = await startTarget(attempt, { variant: 'all', repeat: 1 });
  t.after(target.stop);
  return { attempt, study, target, redactor };
}

/** @param {string} url @param {string} [more] */
const studyOf = (url, more = '') => `title: t
target: {url: "${url}"}
scenario: {scenarios: [{flow: [{get: {url: "{{ id }}"}}]}]}
load: {steps: [1]}
lists: {id: {from: /ids, match: "(\\\\d+)"}}
${more}`;

test('lists and probes send the token of one login to the target and to nobody else, and `reset` is told it', async t => {
  const provider = await startProvider({
    dir: makeTempFolder(t),
    users: [USER],
    secrets: { client: CLIENT_SECRET, api: 'not-used' },
  });
  t.after(provider.stop);
  for (const [name, value] of Object.entries({
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: 'queue-management',
    OIDC_CLIENT_SECRET: CLIENT_SECRET,
    OIDC_USERNAME: USER.username,
    OIDC_PASSWORD: USER.password,
  })) {
    process.env[name] = value;
    t.after(() => delete process.env[name]);
  }
  /** @type {[string, string | undefined][]} */
  const seen = [];
  /** @param {string} who @returns {import('node:http').RequestListener} */
  const answer = who => (request, response) => {
    const { authorization } = request.headers;
    seen.push([`${who} ${request.method} ${request.url}`, authorization]);
    if (who === 'target' && !authorization) response.writeHead(401).end();
    else response.end(request.url === '/ids' ? '1 2' : '{"queued": 0}');
  };
  const url = await serve(t, answer('target'));
  const other = await serve(t, answer('other'));
  const told = path.join(makeTempFolder(t), 'told');
  const { attempt, target, redactor } = await start(
    t,
    studyOf(
      url,
      `record: {probes: {own: {url: /stats}, foreign: {url: "${other}/stats"}}}
reset: printf %s "$STUDY_TOKEN" >${told}; echo "it is $STUDY_TOKEN"`,
    ),
  );
  for (const probe of target.record.probes ?? [])
    assert.deepEqual(await readProbe(probe, { signal }), { queued: 0 });
  await runStep(attempt, 'reset', { ...target, signal });
  const [[, token = ''] = []] = seen;
  assert.match(token, /^Bearer \S{20,}$/);
  assert.deepEqual(seen, [
    ['target GET /ids', token],
    ['target GET /stats', token],
    ['other GET /stats', undefined],
  ]);
  assert.equal(`Bearer ${readFileSync(told, 'utf8')}`, token);
  const log = readFileSync(path.join(attempt.files.services, 'reset.log'), 'utf8');
  assert.match(log, /^it is \[redacted\]$/m);
  for (const secret of [token.slice('Bearer '.length), USER.password, CLIENT_SECRET])
    assert.ok(!redactor.redactText(`it said ${secret}.`).includes(secret));
});

test('accepts a self-signed certificate only if the run accepts it', async t => {
  const server = https.createServer(readCertificate('self-signed'), (_, response) =>
    response.end('1'),
  );
  const url = await listen(t, server);
  await assert.rejects(start(t, studyOf(url)), { code: 'STUDY_LIST_UNREADABLE' });
  const { target } = await start(t, studyOf(url), { insecure: true });
  assert.equal(target.payload.length, 1);
  const inScript = studyOf(url).replace(
    '{scenarios:',
    '{config: {tls: {rejectUnauthorized: false}}, scenarios:',
  );
  assert.equal((await start(t, inScript)).target.payload.length, 1);
});

test('a study that starts services gives its runs the secrets that it names, and no other setting', async t => {
  process.env.OIDC_PASSWORD = USER.password;
  process.env.OIDC_USERNAME = USER.username;
  t.after(() => {
    delete process.env.OIDC_PASSWORD;
    delete process.env.OIDC_USERNAME;
  });
  const url = await serve(t, (_, response) => response.end('1'));
  const services = 'services: {s: {command: sleep 60}}\n';
  const { target } = await start(t, studyOf(url, services));
  assert.equal(target.config.get('OIDC_PASSWORD'), null);
  const named = await start(t, studyOf(url, `${services}secrets: [OIDC_PASSWORD]\n`));
  assert.equal(named.target.config.get('OIDC_PASSWORD'), USER.password);
  assert.equal(named.target.config.get('OIDC_USERNAME'), null);
  assert.ok(!JSON.stringify(named.study).includes(USER.password));
});
