/** A study folder that somebody else made is data: nothing in it is run, and nothing outside of it is touched. */
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { planStudy } from '../../../../lib/experiment/study/plan-study.js';
import { readStudy } from '../../../../lib/experiment/study/study-file/read-study.js';
import { API_URL, makeStudyFile } from '../../../helpers/make-study-file.js';
import { callLoadflame } from '../../../helpers/run-loadflame.js';
import { makeTempFolder } from '../../../helpers/temp-folder.js';

/** Its cells fail before anything is sent: what is run until then is the subject. */
const SMALL = {
  services: { api: { command: 'sleep 60' } },
  target: { url: API_URL },
  reset: 'false',
  load: { model: 'closed', steps: [1] },
};

/**
 * A study of the user's, and beside its runs a folder that claims to be an unfinished part of it.
 * @param {import('node:test').TestContext} t
 * @param {number[]} [workers] of its variants
 */
function makeReceived(t, workers = [1]) {
  const home = makeTempFolder(t);
  const file = makeStudyFile(home, { ...SMALL, factors: { workers } });
  const plan = planStudy(readStudy(file, { quick: false }), { seed: 7 });
  const folder = path.join(home, 'profiles', '20261120-120000-study-burn');
  mkdirSync(folder, { recursive: true });
  const pwned = path.join(home, 'pwned');
  return {
    home,
    file,
    folder,
    pwned,
    blocks: plan.blocks,
    /** @param {(plan: any) => void} [change] */
    writePlan(change = () => {}) {
      const received = JSON.parse(JSON.stringify(plan));
      change(received);
      writeFileSync(path.join(folder, 'plan.json'), JSON.stringify(received));
    },
    run: () => callLoadflame(home, ['study', 'run', file]),
  };
}

test("a study folder's own commands are not run, though its plan names the study file's sha256", async t => {
  const { folder, pwned, writePlan, run } = makeReceived(t);
  writePlan(({ study }) => {
    for (const key of ['setup', 'prepare', 'reset', 'cleanup']) study[key] = `touch ${pwned}`;
    study.services[0].command = `touch ${pwned}`;
    study.title = 'not what the user wrote';
  });
  const { stderr } = await run();
  assert.match(stderr, /resuming /);
  assert.ok(!existsSync(pwned), 'a command of the folder was run');
  const kept = JSON.parse(readFileSync(path.join(folder, 'plan.json'), 'utf8'));
  assert.equal(kept.study.title, 'Do two workers burn twice as much as one?');
});

test('a study resumes in the order of blocks that follows from its seed, whatever its folder says', async t => {
  const { folder, writePlan, run, blocks } = makeReceived(t, [1, 2, 3]);
  writePlan(plan => {
    plan.blocks = [{ variant: '../../x', repeat: 1 }];
  });
  const { stderr } = await run();
  assert.match(stderr, /resuming /);
  const journal = readFileSync(path.join(folder, 'journal.ndjson'), 'utf8');
  const begun = journal.split('\n').filter(line => line.includes('"block-start"'));
  assert.deepEqual(
    begun.map(line => JSON.parse(line).variant),
    blocks.map(({ variant }) => variant),
  );
});

test('an envs.sh in a study folder is not run', async t => {
  const { folder, pwned, writePlan, run } = makeReceived(t);
  writePlan();
  writeFileSync(path.join(folder, 'envs.sh'), `touch ${pwned}\n`);
  const { stderr } = await run();
  assert.match(stderr, /resuming /);
  assert.ok(!existsSync(pwned));
});

test('a link in a study folder leads nothing out of it: nothing is written or deleted behind it', async t => {
  const { home, folder, writePlan, run } = makeReceived(t);
  const victim = path.join(home, 'victim');
  mkdirSync(path.join(victim, 'work'), { recursive: true });
  writeFileSync(path.join(victim, 'work', 'thesis'), 'years');
  writeFileSync(path.join(victim, 'rc'), 'mine\n');
  writePlan();
  symlinkSync(victim, path.join(folder, 'runs'));
  symlinkSync(path.join(victim, 'rc'), path.join(folder, 'journal.ndjson'));
  const { stderr } = await run();
  assert.deepEqual(readdirSync(victim), ['rc', 'work']);
  assert.equal(readFileSync(path.join(victim, 'work', 'thesis'), 'utf8'), 'years');
  assert.equal(readFileSync(path.join(victim, 'rc'), 'utf8'), 'mine\n');
  assert.doesNotMatch(stderr, /resuming /);
});

test('a journal names no run outside of its folder', async t => {
  const { home, folder, writePlan, run, blocks } = makeReceived(t);
  writePlan();
  const other = path.join(home, 'other-run');
  mkdirSync(other);
  writeFileSync(path.join(other, 'run.json'), '{"schema": "loadflame-run/1"}');
  const end = { kind: 'cell-end', ...blocks[0], step: 1, purpose: 'measure', t: 1 };
  const record = { ...end, outcome: 'failed', reason: 'x', folder: '../../other-run' };
  writeFileSync(path.join(folder, 'journal.ndjson'), `${JSON.stringify(record)}\n`);
  const { stderr } = await run();
  assert.doesNotMatch(stderr, /other-run/);
  assert.ok(!existsSync(path.join(other, 'report.html')));
});
