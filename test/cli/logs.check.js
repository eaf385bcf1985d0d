import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startDemo } from '../../demo/start.js';
import { PYTHON } from '../helpers/gunicorn.js';
import { test } from '../helpers/quiet.js';
import { makeScene } from '../helpers/scene.js';
import { makeTempFolder } from '../helpers/temp-folder.js';
import { wordsOf } from '../helpers/words.js';

const BROKEN_MS = 1500;

const SCRIPT = `
config:
  target: "{{ $env.TARGET }}"
  phases: [{ duration: 9, arrivalRate: 12 }]
  http: { distributedTracing: true }
scenarios:
  - flow: [{ get: { url: "/api/v1/services/" } }]
`;

test("reports a burst of errors on the demo with the traceback in gunicorn's log", async t => {
  const dir = makeTempFolder(t);
  const demo = await startDemo({ dir, auth: 'cached' });
  t.after(demo.stop);
  const script = path.join(dir, 'services.yaml');
  writeFileSync(script, SCRIPT);
  const scene = makeScene(t, demo.env);
  const shell = scene.test([script]);
  const run = await scene.waitForRun();
  await run.waitForAnswers(40);
  renameTable(dir, 'service', 'service_gone');
  await sleep(BROKEN_MS);
  renameTable(dir, 'service_gone', 'service');
  // More of them failed than ALLOWED_FAILURES.
  assert.equal(await shell.ended, 5, shell.output());

  const { load, logs, findings } = run.readReport();
  assert.ok(load && logs);
  const [burst, ...more] = load.errorBursts;
  assert.ok(burst);
  assert.equal(more.length, 0, JSON.stringify(more));
  assert.equal(burst.code, '500');
  assert.equal(burst.endpoint, 'GET /api/v1/services/');
  assert.ok(burst.errors >= 10 && burst.errors <= 40, `${burst.errors}`);
  assert.ok(burst.endMs - burst.startMs <= BROKEN_MS + 2000);
  assert.equal(burst.log.basis, 'traceparent');
  const [raised] = burst.log.tracebacks;
  assert.match(raised?.exception ?? '', /OperationalError.*no such table: service/);
  assert.match(raised?.place ?? '', /\(.*\.py:\d+\)/);
  assert.equal(raised?.count, burst.errors, 'each answer 500 has its traceback');
  const access = burst.log.lines.find(({ source }) => /access\.log$/.test(source));
  assert.equal(access?.matchedBy, 'traceparent');
  assert.match(access?.text ?? '', /GET \/api\/v1\/services\/ HTTP\/1\.1" 500 .* trace=00-a9/);
  assert.equal(logs.sources.length, 2);
  assert.equal(logs.tracebacks[0]?.count, burst.errors);
  const finding = findings.find(({ id }) => id === 'error-burst');
  assert.match(
    wordsOf(finding).title,
    /× 500 on GET \/api\/v1\/services\/ within .*no such table: service/,
  );
  assert.match(shell.output(), /the log\s+says\s+sqlalchemy/);
});

/** @param {string} dir of the demo @param {string} from @param {string} to */
function renameTable(dir, from, to) {
  const program =
    'import sqlite3, sys\nwith sqlite3.connect(sys.argv[1], timeout=5) as db: db.execute(f"ALTER TABLE {sys.argv[2]} RENAME TO {sys.argv[3]}")';
  const file = path.join(dir, 'queue-management.sqlite');
  const { status, stderr } = spawnSync(PYTHON, ['-c', program, file, from, to]);
  assert.equal(status, 0, String(stderr));
}
