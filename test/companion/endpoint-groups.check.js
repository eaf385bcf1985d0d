/** `npm run test:slow servers`: words as path segments are one endpoint of load, profile and log. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { findRunFolders } from '../../lib/run/run-folder.js';
import { startGunicorn } from '../helpers/gunicorn.js';
import { runLoadflame } from '../helpers/run-loadflame.js';
import { openRun } from '../helpers/scene.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

const COMPANION = path.resolve(import.meta.dirname, '../../companion/loadflame_companion.py');
const NAME = 'GET /api/rates/:currency';

test('words that a rule of the script groups are one row, with its CPU time, waits and log lines', async t => {
  const { url, masterPid, folder } = await startGunicorn(t, {
    workers: 1,
    app: 'rates_app:app',
    args: ['-k', 'gthread', '--threads', '4', '-c', COMPANION],
    env: { LOADFLAME: '1' },
  });
  const home = makeTempFolder(t);
  const script = path.join(home, 'load.yaml');
  const variables = { ENDPOINTS: { default: '/api/rates/:currency' } };
  const get = (/** @type {string} */ word, name = {}) => ({
    get: { url: `/api/rates/${word}`, ...name },
  });
  const flow = [get('usd'), get('gbp'), get('chf'), get('eur', { name: 'a rate' })];
  const config = { target: url, loadflame: { variables }, phases: [{ duration: 8, users: 2 }] };
  writeFileSync(script, JSON.stringify({ config, scenarios: [{ flow }] }));
  const { stderr } = await runLoadflame(home, ['test', script, '--profile'], {
    TARGET: url,
    GUNICORN_PID: `${masterPid}`,
    LOG_FILES: path.join(folder, 'log'),
  });
  const [run] = findRunFolders(path.join(home, 'profiles'));
  assert.ok(run, stderr);
  const { load, costs } = openRun(run).readReport();

  assert.deepEqual(load?.endpoints.map(({ name }) => name).toSorted(), [NAME, 'a rate']);
  const row = load?.endpoints.find(({ name }) => name === NAME);
  const failed = row?.requests ? row.errors / row.requests : 0;
  assert.ok(failed > 0.25 && failed < 0.4, `${failed} of the requests failed`);

  // The script's own name is another row of the same route: its requests are told apart by their answers.
  assert.deepEqual(costs?.endpoints.map(({ name }) => name).toSorted(), [NAME, 'a rate']);
  const cost = costs?.endpoints.find(({ name }) => name === NAME);
  assert.ok(cost?.isMeasured);
  assert.ok((cost.cpuMsPerRequest?.value ?? 0) >= 4, `${cost.cpuMsPerRequest?.value} ms`);
  assert.ok(cost.samples > 100);

  const [burst] = load?.errorBursts ?? [];
  assert.equal(burst?.endpoint, NAME);
  assert.equal(burst.log.basis, 'endpoint');
  assert.match(burst.log.tracebacks[0]?.exception ?? '', /ValueError: no rate of the day/);
});

test('without such a rule, words are one row of load and CPU by the route of the framework', async t => {
  const { url, masterPid } = await startGunicorn(t, {
    workers: 2,
    app: 'rates_app:app',
    args: ['-c', COMPANION],
    env: { LOADFLAME: '1' },
  });
  const home = makeTempFolder(t);
  const script = path.join(home, 'load.yaml');
  const words = Array.from(
    { length: 60 },
    (_, at) => `rate-${'abcdefghij'[at % 10]}${'klmnop'[Math.floor(at / 10)]}`,
  );
  const flow = words.map(word => ({ get: { url: `/api/rates/${word}` } }));
  const config = { target: url, phases: [{ duration: 8, users: 2 }] };
  writeFileSync(script, JSON.stringify({ config, scenarios: [{ flow }] }));
  const { stderr } = await runLoadflame(home, ['test', script, '--profile'], {
    TARGET: url,
    GUNICORN_PID: `${masterPid}`,
  });
  const [run] = findRunFolders(path.join(home, 'profiles'));
  assert.ok(run, stderr);
  const { load, costs } = openRun(run).readReport();
  assert.deepEqual(
    load?.endpoints.map(({ name }) => name),
    ['GET /api/rates/:id'],
  );
  const [row] = load?.endpoints ?? [];
  assert.equal(
    row?.requests,
    row?.codes.reduce((sum, { count }) => sum + count, 0),
  );
  assert.deepEqual(
    costs?.endpoints.map(({ name }) => name),
    ['GET /api/rates/:id'],
  );
  assert.ok((costs?.endpoints[0]?.cpuMsPerRequest?.value ?? 0) >= 4);
});
