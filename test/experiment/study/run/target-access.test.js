/** A study's own requests reach a target behind a login, and nobody else gets its token. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import https from 'node:https';
import path from 'node:path';
import { test } from 'node:test';
import { startProvider } from '../../../../demo/start-provider.js';
import { createRedactor } from '../../../../lib/base/files/redaction.js';
import { planStudy } from '../../../../lib/experiment/study/plan-study.js';
import { runStep, startTarget } from '../../../../lib/experiment/study/run/start-target.js';
import { studyFiles } from '../../../../lib/experiment/study/run/study-folder.js';
import { readSecrets } from '../../../../lib/experiment/study/services/service-environment.js';
import { readStudy } from '../../../../lib/experiment/study/study-file/read-study.js';
import { readProbe } from '../../../../lib/record/probes/read-probe.js';
import { readCertificate } from '../../../helpers/certificates.js';
import { listen, serve } from '../../../helpers/listen.js';
import { makeTempFolder } from '../../../helpers/temp-folder.js';
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
scenario: {scenarios: [{flow: [{get: {url: /}}]}]}
load: {steps: [1]}
${more}`;

test('probes send the token of one login to the target and to nobody else, and `reset` gets it', async t => {
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
    else response.end('{"queued": 0}');
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
    response.end('{"queued": 0}'),
  );
  const url = await listen(t, server);
  /** @param {string} text @param {{insecure?: boolean}} [options] */
  const read = async (text, options) => {
    const { target } = await start(t, text, options);
    const [probe] = target.record.probes ?? [];
    assert.ok(probe);
    return readProbe(probe, { signal });
  };
  const study = studyOf(url, 'record: {probes: {own: {url: /stats}}}');
  await assert.rejects(read(study), /SELF_SIGNED_CERT/);
  assert.deepEqual(await read(study, { insecure: true }), { queued: 0 });
  const inScript = study.replace(
    '{scenarios:',
    '{config: {tls: {rejectUnauthorized: false}}, scenarios:',
  );
  assert.deepEqual(await read(inScript), { queued: 0 });
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
