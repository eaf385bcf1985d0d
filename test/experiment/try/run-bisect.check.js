import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { test } from 'node:test';
import { analyseRun } from '../../../lib/analysis/analyse-run.js';
import { readConfig } from '../../../lib/base/config/read-config.js';
import { createRedactor } from '../../../lib/base/files/redaction.js';
import { chooseLoad } from '../../../lib/experiment/choose-load.js';
import { runBisect } from '../../../lib/experiment/try/run-bisect.js';
import { describePlan } from '../../../lib/experiment/try/run-try.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

const HOUR_MS = 3_600_000;
/** How long the server of each commit waits. @type {Record<string, number>} */
const DELAY_MS = { one: 2, two: 100, three: 100 };

/** @param {string} folder @returns {string[]} its commits */
function commitAll(folder) {
  const git = (/** @type {string[]} */ ...args) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=t', '-c', 'user.email=t@t', ...args], {
      encoding: 'utf8',
    }).trim();
  git('init', '--quiet', '--initial-branch=main');
  return Object.keys(DELAY_MS).map(subject => {
    git('commit', '--quiet', '--allow-empty', '--message', subject);
    return git('rev-parse', 'HEAD');
  });
}

/**
 * A bisection of three commits, whose servers wait.
 * @param {import('node:test').TestContext} t
 */
async function makeBisection(t) {
  const [folder, root] = [makeTempFolder(t), makeTempFolder(t)];
  const [one = '', , three = ''] = commitAll(folder);
  let delayMs = 0;
  const server = createServer((_, response) => setTimeout(() => response.end('ok'), delayMs));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close());
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const script = `http://127.0.0.1:${port}/`;
  const config = readConfig({ flags: { TARGET: script }, env: {}, folder: root });
  const options = { insecure: false, log: false };
  const asked = { options, users: 1, warmUpSec: 0, durationSec: 1 };
  const side = (/** @type {string} */ label, /** @type {string} */ commit) => {
    const reference = { name: label, commit };
    return { folder, label, reference, env: {}, command: 'serve' };
  };
  const sides = { a: side('one', one), b: side('three', three) };
  const plan = { sides, isNoise: false, ...chooseLoad(script, config, asked) };
  /** @type {string[][]} */
  const [progress = [], notes = []] = [[], []];
  /** @param {string | undefined} earlier @param {AbortSignal} signal @param {(note: string) => void} [onNote] */
  const bisect = (earlier, signal, onNote) =>
    runBisect(plan, {
      ...{ options, command: 'bisect', root, name: 'shop', redactor: createRedactor(), earlier },
      ...{
        signal,
        onProgress: text => progress.push(text),
        onNote: text => {
          notes.push(text);
          onNote?.(text);
        },
      },
      ...{ maxMs: 600_000, smallest: 0.05, describe: () => '', describeForecast: () => '' },
      readReport: async run => (await analyseRun(run)).report,
      tools: {
        start: async ({ label }) => {
          delayMs = DELAY_MS[label.split(' ')[1] ?? ''] ?? 0;
          return { config, pid: null, script, stop: async () => {} };
        },
        findServer: async () => /** @type {any} */ (null),
        writeReport: async run => /** @type {any} */ ((await analyseRun(run)).report),
      },
    });
  return { one, three, root, plan, progress, notes, bisect };
}

test('a resumed bisection reports the time and the smallest difference of its last try', async t => {
  const { one, three, root, plan, progress, notes, bisect } = await makeBisection(t);
  const earlier = path.join(root, 'bisect-shop');
  mkdirSync(path.join(earlier, 'runs/try-0'), { recursive: true });
  const recorded = { schema: 'loadflame-bisect-plan/1', ...describePlan(plan) };
  writeFileSync(path.join(earlier, 'plan.json'), JSON.stringify(recorded));
  const known = { measure: 'throughputPerSec', size: 0.8, ms: HOUR_MS };
  for (const record of [
    { t: Date.now() - HOUR_MS, kind: 'attempt', pid: 1, pidStartTicks: 1 },
    { t: Date.now(), kind: 'run', folder: 'try-0', a: one, b: three, call: 'worse', ...known },
  ])
    appendFileSync(path.join(earlier, 'journal.ndjson'), `${JSON.stringify(record)}\n`);

  const result = await bisect(earlier, AbortSignal.timeout(120_000));
  assert.deepEqual(
    Object.values(result.sides ?? {}).map(({ label }) => label.split(' ')[1]),
    ['one', 'two'],
  );
  assert.equal(result.decisions[0]?.call, 'worse');
  assert.equal(result.smallest, 0.4, 'half of the difference between the ends');
  assert.ok(result.elapsedMs < HOUR_MS, `${result.elapsedMs} ms for ${result.pairs.length} pairs`);
  assert.ok(progress.every(text => /^step 2 · pair \d+ · at most \d+ .* left · /.test(text)));
  assert.match(notes.at(-1) ?? '', /^2 steps in (?:60 min|1 h)/);
  assert.match(readFileSync(path.join(earlier, 'journal.ndjson'), 'utf8'), /"reason":"decided"/);
});

test('a bisection that was interrupted in its first step goes on with the pairs of this step', async t => {
  const { one, three, notes, bisect } = await makeBisection(t);
  const interruptAfter = async (
    /** @type {RegExp} */ note,
    /** @type {string | undefined} */ earlier,
  ) => {
    const interrupted = new AbortController();
    const onNote = (/** @type {string} */ text) => note.test(text) && interrupted.abort();
    const { end, pairs, folder } = await bisect(earlier, interrupted.signal, onNote);
    assert.deepEqual([end, pairs], ['interrupted', []]);
    return folder;
  };
  const folder = await interruptAfter(/^pair 1:/, undefined);
  const journal = path.join(folder, 'journal.ndjson');
  for (const name of [7, '../..', 'pwned/..', 'gone'])
    appendFileSync(
      journal,
      `${JSON.stringify({ t: 1, kind: 'open', folder: name, a: name === 'gone' ? three : one, b: three })}\n`,
    );
  notes.length = 0;
  assert.equal(await interruptAfter(/^pair \d+:/, folder), folder);
  assert.deepEqual(
    notes.flatMap(text => /^pair \d+:/.exec(text) ?? []),
    ['pair 2:'],
  );
  assert.equal(readdirSync(path.join(folder, 'runs')).length, 1);
});
