/** Scenarios from traffic, sent again: a session of real Chromium, and logs of real gunicorn and nginx. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'yaml';
import { startDemo } from '../../../demo/start.js';
import { sum } from '../../../lib/base/math/summary.js';
import { startChild } from '../../../lib/base/process/child.js';
import { listListeners } from '../../../lib/record/target/listening-socket.js';
import { launchBrowser } from '../../helpers/browser.js';
import { findFreePort, startGunicorn, waitUntil } from '../../helpers/gunicorn.js';
import { needs } from '../../helpers/needs.js';
import { recordHar } from '../../helpers/record-har.js';
import { runLoadflame } from '../../helpers/run-loadflame.js';
import { makeScene } from '../../helpers/scene.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

/**
 * The login form, as a person fills it in, and a booking of a page that keeps the token.
 * @param {import('puppeteer-core').Page} page
 * @param {import('../../helpers/scene.js').Demo} demo
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
    const bearer = /** @type {any} */ (await given.json()).access_token;
    const headers = { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json' };
    /** @param {string} where @param {string} [method] @param {object} [body] @returns {Promise<any>} */
    const ask = async (where, method = 'GET', body) => {
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

/** As a log or a report counts them. @typedef {Map<string, number>} Shares */

/** @param {Shares} counts @param {Shares} others @returns {number} the largest difference of shares, in points */
function compareShares(counts, others) {
  const [all, allOthers] = [counts, others].map(one => sum([...one.values()]));
  const names = new Set([...counts.keys(), ...others.keys()]);
  return Math.max(
    ...[...names].map(name =>
      Math.abs(
        100 * ((counts.get(name) ?? 0) / Number(all) - (others.get(name) ?? 0) / Number(allOthers)),
      ),
    ),
  );
}

/** @param {Iterable<string>} names @returns {Shares} */
function countNames(names) {
  const counts = new Map();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** A linear congruential generator, so that a log is the same each time. */
function createRandom() {
  let seed = 7;
  return () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
}

test('of 100,000 lines, weights are within 2 points and arrivals within 5 %', async t => {
  const random = createRandom();
  /** @type {[upTo: number, path: string][]} */
  const mix = [
    [0.45, '/items/:id'],
    [0.7, '/items'],
    [0.9, '/search'],
    [1, '/about'],
  ];
  const pick = () => {
    const at = random();
    return mix.find(([upTo]) => at < upTo)?.[1] ?? '';
  };
  // A rise, a plateau, a spike and a fall.
  const rates = Array.from({ length: 60 }, (_, at) => {
    if (at < 20) return 1 + at / 20;
    return at < 40 ? 2 : at < 45 ? 4 : 2 - (at - 45) / 15;
  });
  const perRate = 100_000 / sum(rates);
  const fromMs = Date.UTC(2026, 10, 20, 14);
  const lines = rates.flatMap((rate, minute) =>
    Array.from({ length: Math.round(rate * perRate) }, () => fromMs + (minute + random()) * 60_000),
  );
  const all = lines
    .sort((a, b) => a - b)
    .map(atMs => {
      const name = pick();
      const target =
        name.replace(':id', String(Math.floor(random() * 5000))) +
        (name === '/search' ? `?q=${Math.floor(random() * 9)}` : '');
      const [, day, month, year, time] = new Date(atMs).toUTCString().split(' ');
      const client = `10.0.${Math.floor(random() * 9)}.${Math.floor(random() * 250)}`;
      return {
        name,
        line: `${client} - - [${day}/${month}/${year}:${time} +0000] "GET ${target} HTTP/1.1" 200 9 "-" "curl"\n`,
      };
    });
  const folder = makeTempFolder(t);
  writeFileSync(path.join(folder, 'access.log'), all.map(({ line }) => line).join(''));
  const { exit, stderr } = await runLoadflame(folder, ['init', '--log', 'access.log']);
  assert.equal(exit, 0, stderr);
  const { config, scenarios } = parse(
    readFileSync(path.join(folder, 'scenarios/access.yaml'), 'utf8'),
  );
  const sent = new Map();
  let perUser = 0;
  const users = sum(scenarios.map((/** @type {any} */ { weight }) => weight));
  for (const { name, weight } of scenarios) {
    for (const endpoint of name.split(', ')) {
      sent.set(endpoint, (sent.get(endpoint) ?? 0) + weight);
      perUser += weight / users;
    }
  }
  const points = compareShares(countNames(all.map(({ name }) => `GET ${name}`)), sent);
  const planned = config.phases.flatMap(
    (/** @type {any} */ { duration, arrivalRate, rampTo = arrivalRate }) =>
      Array.from(
        { length: duration / 60 },
        (_, at) =>
          60 * perUser * (arrivalRate + ((rampTo - arrivalRate) * (at + 0.5) * 60) / duration),
      ),
  );
  assert.equal(planned.length, 60);
  const misses = rates.map((rate, at) => Math.abs(planned[at] / (rate * perRate) - 1));
  t.diagnostic(
    `largest difference: ${points.toFixed(2)} points; ${(100 * Math.max(...misses)).toFixed(1)} % of a minute, ${config.phases.length} phases`,
  );
  assert.ok(points < 2, `${points}`);
  assert.ok(Math.max(...misses) < 0.05, `${misses}`);
});

const APP = `def app(environ, start_response):
    start_response('200 OK', [('Content-Type', 'text/plain')])
    return [b'ok']
`;

test('logs of gunicorn and nginx are sent again with the same mix', {
  skip: needs('nginx'),
}, async t => {
  const random = createRandom();
  const folder = makeTempFolder(t);
  const log = (/** @type {string} */ name) => path.join(folder, name);
  writeFileSync(log('wsgi.py'), APP);
  const args = ['--chdir', folder, '--access-logfile', log('gunicorn.log')];
  const { url } = await startGunicorn(t, { workers: 1, args, app: 'wsgi:app' });
  const port = await findFreePort();
  const json =
    '{"time_iso8601":"$time_iso8601","remote_addr":"$remote_addr","request":"$request","status":"$status","http_user_agent":"$http_user_agent"}';
  writeFileSync(
    log('nginx.conf'),
    `daemon off; pid ${folder}/pid; error_log ${folder}/error.log; events {}
    http { log_format js escape=json '${json}'; access_log ${log('combined.log')} combined; access_log ${log('json.log')} js;
    client_body_temp_path ${folder}/b; proxy_temp_path ${folder}/p; fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
    server { listen 127.0.0.1:${port}; location / { proxy_pass ${url}; } } }`,
  );
  const nginx = startChild('nginx', ['-c', log('nginx.conf'), '-e', `${folder}/error.log`]);
  t.after(() => nginx.stop());
  await waitUntil(() => listListeners().some(one => one.port === port), 'nginx listens');
  // 100 clients; each asks for the list, thinks, and asks for an item of it. Others do something alone.
  const ask = async (
    /** @type {string} */ target,
    /** @type {number} */ client,
    method = 'GET',
  ) => {
    const headers = { 'User-Agent': `browser ${client}` };
    await (await fetch(`http://127.0.0.1:${port}${target}`, { method, headers })).text();
  };
  const asks = Array.from({ length: 200 }, async (_, client) => {
    await sleep(random() * 14_000);
    const item = Math.floor(random() * 100);
    if (client % 2)
      return ask(
        `/search?q=${item}&token=s3cr3t-${item}`,
        client,
        client % 10 === 1 ? 'POST' : 'GET',
      );
    await ask('/items', client);
    await sleep(1500);
    return ask(`/items/${item}`, client);
  });
  await Promise.all(asks);
  const before = readFileSync(log('gunicorn.log'), 'utf8').split('\n');
  const named = (/** @type {string[]} */ lines) =>
    countNames(
      lines.flatMap(line => {
        const target = /"GET (\S+) HTTP/.exec(line)?.[1];
        return target ? [target.replace(/\?.*/, '').replace(/\d+/, ':id')] : [];
      }),
    );
  for (const name of ['gunicorn', 'combined', 'json']) {
    const written = await runLoadflame(folder, ['init', '--log', `${name}.log`]);
    assert.equal(written.exit, 0, written.stderr);
    assert.match(written.stdout, /POST \/search/);
    const text = ['yaml', 'csv']
      .map(end => readFileSync(log(`scenarios/${name}.${end}`), 'utf8'))
      .join('');
    assert.ok(!text.includes('s3cr3t'));
    const { length } = readFileSync(log('gunicorn.log'), 'utf8').split('\n');
    const scene = makeScene(t, { TARGET: url });
    const load = scene.test([log(`scenarios/${name}.yaml`)]);
    assert.equal(await load.ended, 0, load.output());
    const arrived = named(
      readFileSync(log('gunicorn.log'), 'utf8')
        .split('\n')
        .slice(length - 1),
    );
    const points = compareShares(named(before), arrived);
    t.diagnostic(
      `${name}: ${sum([...arrived.values()])} of ${sum([...named(before).values()])} requests, ${points.toFixed(1)} points`,
    );
    // 180 requests of a Poisson process, drawn by weight: 3 σ.
    assert.ok(points < 14, JSON.stringify([...arrived]));
  }
});

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

  // The name of a person is a variable.
  const scene = makeScene(t, { ...demo.env, RECORDED_CITIZEN_NAME: 'Ada' });
  const load = scene.test([script, '--users', '1', '--duration', '12s']);
  assert.equal(await load.ended, 0, load.output());
  const { load: report } = (await scene.waitForRun(/./)).readReport();
  assert.ok(report && report.users.completed >= 2, load.output());
  assert.equal(report.users.failed, 0, load.output());
  t.diagnostic(load.output());
});
