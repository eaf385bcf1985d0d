/** Scenarios from traffic, sent again: a session of real Chromium, and logs of real gunicorn and nginx. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { startDemo } from '../../demo/start.js';
import { launchBrowser } from '../helpers/browser.js';
import { needs } from '../helpers/needs.js';
import { recordHar } from '../helpers/record-har.js';
import { runLoadflame } from '../helpers/run-loadflame.js';
import { makeScene } from '../helpers/scene.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

/**
 * The login form, as a person fills it in, and a booking of a page that keeps the token.
 * @param {import('puppeteer-core').Page} page
 * @param {import('../helpers/scene.js').Demo} demo
 */
async function bookAsPerson(page, { issuer, apiUrl, users: [user] }) {
  const verifier = randomBytes(32).toString('base64url');
  const client = { client_id: 'queue-management-public', redirect_uri: `${apiUrl}/callback` };
  const query = new URLSearchParams({
    ...client,
    response_type: 'code',
    scope: 'openid',
    state: 'state-of-the-page',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  await page.goto(`${issuer}/auth?${query}`);
  await page.type('[name=username]', user?.username ?? '');
  await page.type('[name=password]', user?.password ?? '');
  await Promise.all([page.waitForNavigation(), page.click('[type=submit]')]);
  const code = new URL(page.url()).searchParams.get('code');
  assert.ok(code, page.url());
  const form = { ...client, grant_type: 'authorization_code', code, code_verifier: verifier };
  const asked = { url: `${issuer}/token`, body: `${new URLSearchParams(form)}` };
  return page.evaluate(async (/** @type {typeof asked} */ { url, body: login }) => {
    const type = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const given = await fetch(url, { method: 'POST', headers: type, body: login });
    const bearer = (await given.json()).access_token;
    const headers = { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json' };
    const ask = async (
      /** @type {string} */ where,
      method = 'GET',
      /** @type {object} */ body = undefined,
    ) => {
      await new Promise(resolve => setTimeout(resolve, 200));
      const sent = body && JSON.stringify(body);
      const response = await fetch(`/api/v1${where}`, { method, headers, body: sent });
      if (!response.ok)
        throw new Error(`${method} ${where}: ${response.status} ${await response.text()}`);
      return (response.headers.get('content-type') ?? '').includes('json') ? response.json() : null;
    };
    const { offices } = await ask('/offices/');
    const office = offices.find((/** @type {any} */ { office_id: id }) => id === 3).office_id;
    const { services } = await ask(`/services/?office_id=${office}`);
    const service = services[0].service_id;
    await ask(`/offices/${office}/slots/?service_id=${service}`);
    const start = new Date(Date.now() + 9 * 86_400_000);
    start.setUTCHours(18, 0, 0, 0);
    while (start.getUTCDay() % 6 === 0) start.setUTCDate(start.getUTCDate() + 1);
    const end = new Date(start.getTime() + 15 * 60_000);
    const wanted = {
      office_id: office,
      service_id: service,
      start_time: start.toISOString(),
      end_time: end.toISOString(),
      citizen_name: 'loadflame',
    };
    const draft = await ask('/appointments/draft', 'POST', wanted);
    await ask(`/appointments/draft/${draft.appointment.appointment_id}/`, 'DELETE');
    const { appointment } = await ask('/appointments/', 'POST', wanted);
    await ask(`/appointments/${appointment.appointment_id}/`, 'PUT', {
      comments: 'moved',
      start_time: wanted.start_time,
      end_time: wanted.end_time,
    });
    await ask(`/appointments/${appointment.appointment_id}/`, 'DELETE');
  }, asked);
}

test('a login and a booking in Chromium are sent again without a failed request', {
  skip: needs('chromium'),
}, async t => {
  const demo = await startDemo({ auth: 'cached' });
  t.after(() => demo.stop());
  const { browser, stop } = await launchBrowser();
  t.after(stop);
  const page = await browser.newPage();
  const end = await recordHar(page);
  await bookAsPerson(page, demo);
  const folder = makeTempFolder(t);
  writeFileSync(path.join(folder, 'booking.har'), JSON.stringify(await end()));
  const written = await runLoadflame(folder, ['init', '--har', 'booking.har']);
  assert.equal(written.exit, 0, written.stderr);
  t.diagnostic(written.stdout);
  const script = path.join(folder, 'scenarios/booking.yaml');
  const text = readFileSync(script, 'utf8');
  for (const { password } of demo.users) assert.ok(!text.includes(password));
  assert.doesNotMatch(text, /eyJ/);

  const scene = makeScene(t, demo.env);
  const load = scene.test([script, '--users', '1', '--duration', '12s']);
  assert.equal(await load.ended, 0, load.output());
  const { load: report } = (await scene.waitForRun(/./)).readReport();
  assert.ok(report && report.users.completed >= 2, load.output());
  assert.equal(report.users.failed, 0, load.output());
  t.diagnostic(load.output());
});
