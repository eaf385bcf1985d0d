/** A user's first study of an API that runs already, behind a login: studies/my-api.yaml, which `init` writes. */
import assert from 'node:assert/strict';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { parse, stringify } from 'yaml';
import { startApi } from '../../../demo/start-api.js';
import { startProvider } from '../../../demo/start-provider.js';
import { listEndedCells } from '../../../lib/experiment/strategies/steps.js';
import { readJournal, studyFiles } from '../../../lib/experiment/study/run/study-folder.js';
import { listWorkers } from '../../../lib/record/target/process-family.js';
import { PYTHON, waitUntil } from '../../helpers/gunicorn.js';
import { makeScene, REPOSITORY } from '../../helpers/scene.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

const USER = { username: 'tester', password: 'correct-horse-battery' };
const SLOTS = { url: '/api/v1/offices/3/slots/?service_id={{ service }}', name: 'slots' };
const OWN = {
  factors: { workers: [1, 2] },
  scenario: {
    config: { payload: { path: '{{ $env.STUDY_WORK }}/services.csv', fields: ['service'] } },
    scenarios: [{ flow: [{ get: SLOTS }] }],
  },
  load: { steps: [1, 4] },
  ...{ warmUp: '1s', duration: '3s', repeats: 1 },
  objective: { rate: '20/s', p95: '1s', errors: '1%' },
};
const READ_SERVICES = `curl -sf -H "Authorization: Bearer $STUDY_TOKEN" \
  "$STUDY_TARGET/api/v1/services/?office_id=3" | grep -o '"service_id": *[0-9]*' | grep -o '[0-9]*$' \
  >"$STUDY_WORK/services.csv"`;
const SECRETS = { client: 'secret-of-the-client', api: 'secret-of-the-api' };

test('the study that `init` writes runs against two gunicorns behind a login, and leaves them as they were', async t => {
  const dir = makeTempFolder(t);
  const provider = await startProvider({ dir, users: [USER], secrets: SECRETS });
  t.after(provider.stop);
  const apis = [];
  for (const name of ['one', 'two']) {
    const api = await startApi({
      ...{ auth: 'cached', python: PYTHON, dir: makeTempFolder(t), workers: 3, threads: 2 },
      ...{ issuer: provider.issuer, secret: SECRETS.api },
    });
    t.after(api.stop);
    symlinkSync(api.pidFile, path.join(dir, `${name}.pid`));
    apis.push(api);
  }

  // With an address and requests of one's own, and a second master that is left alone.
  const starter = path.join(REPOSITORY, 'studies', 'my-api.yaml');
  const { record: _record, quick: _quick, ...starterStudy } = parse(readFileSync(starter, 'utf8'));
  const study = { ...starterStudy, ...OWN };
  study.target.url = apis[0]?.url;
  study.target.gunicorn = [{ pidFile: 'one.pid' }, { pidFile: 'two.pid' }];
  for (const key of ['prepare', 'cleanup'])
    study[key] = study[key].replaceAll('../gunicorn.pid', 'one.pid');
  study.prepare += `\n${READ_SERVICES}`;
  writeFileSync(path.join(dir, 'mine.yaml'), stringify(study));
  const login = {
    ...{ OIDC_ISSUER: provider.issuer, OIDC_FLOW: 'password', OIDC_CLIENT_ID: 'queue-management' },
    ...{ OIDC_CLIENT_SECRET: SECRETS.client },
    ...{ OIDC_USERNAME: USER.username, OIDC_PASSWORD: USER.password },
  };
  const home = makeTempFolder(t);
  const lines = Object.entries(login).map(([name, value]) => `${name}='${value}'\n`);
  writeFileSync(path.join(home, 'envs.sh'), lines.join(''), { mode: 0o600 });

  // From another folder: paths of a study are relative to its file.
  const scene = makeScene(t, {}, { cwd: home });
  const run = scene.start(['study', 'run', path.join(dir, 'mine.yaml'), '--profiles', scene.root]);
  assert.equal(await run.ended, 0, run.output());

  const files = studyFiles(path.join(scene.root, String(scene.listRuns()[0])));
  const cells = listEndedCells(await readJournal(files.journal));
  assert.equal(cells.length, 4);
  for (const cell of cells) {
    assert.ok(cell.outcome === 'measured', JSON.stringify(cell));
    const { figures, variant } = cell;
    assert.deepEqual([figures.seconds, figures.errors], [3, 0]);
    assert.equal(figures.window.startMs % 1000, 0);
    // Both masters', though the load goes to one of them.
    const counts = figures.components.map(({ name, processes }) => [name, processes.max]);
    const workers = 3 + Number(variant.split('=')[1]);
    assert.deepEqual(counts, [
      ['workers', workers],
      ['master', 2],
    ]);
  }
  for (const { pid } of apis)
    await waitUntil(() => listWorkers(pid).length === 3, 'as many workers as before');
  assert.match(run.output(), /20 requests\/s at p95 < 1,000 ms/);
  const kept = readFileSync(files.journal, 'utf8') + readFileSync(files.plan, 'utf8');
  for (const secret of [USER.password, SECRETS.client]) assert.ok(!kept.includes(secret));
});
