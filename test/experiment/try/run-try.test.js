import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import path from 'node:path';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { analyseRun } from '../../../lib/analysis/analyse-run.js';
import { readConfig } from '../../../lib/base/config/read-config.js';
import { createRedactor } from '../../../lib/base/files/redaction.js';
import { chooseLoad } from '../../../lib/experiment/choose-load.js';
import { runTry } from '../../../lib/experiment/try/run-try.js';
import { readNdjson } from '../../../lib/run/ndjson.js';
import { findRunFolders } from '../../../lib/run/run-folder.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

/** @import { Measuring } from '../../../lib/experiment/try/measure-side.js' */

/**
 * Tries two equal sides, which one server serves, for `pairs` pairs.
 * @param {import('node:test').TestContext} t
 * @param {{pairs: number, status?: number, command?: null, untilStop?: (moments: string[]) => Promise<void>,
 *   tools?: (moments: string[]) => Partial<Measuring['tools']>}} options `command: null` is the demo
 */
async function tryOut(t, { pairs, status = 200, command, untilStop, tools }) {
  const folder = makeTempFolder(t);
  /** @type {string[]} */
  const moments = [];
  const server = createServer((request, response) => {
    const isFirst = !moments.at(-1)?.endsWith(request.url ?? '');
    if (isFirst) moments.push(`request ${request.url}`);
    response.writeHead(request.url === '/' ? 200 : status);
    // A closed loop on a server that responds at once takes all cores.
    setTimeout(() => response.end(), 20);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close());
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const origin = `http://127.0.0.1:${port}`;
  const script = `${origin}/api`;
  const config = readConfig({ flags: { TARGET: origin }, env: {}, folder });
  const options = { insecure: false, log: false };
  const asked = { options, users: 1, warmUpSec: 0, durationSec: 1 };
  const side = { folder, reference: null, env: {}, command: command === null ? null : 'serve' };
  const sides = { a: { ...side, label: 'A' }, b: { ...side, label: 'B' } };
  const plan = { sides, isNoise: false, ...chooseLoad(script, config, asked) };
  let decided = 0;
  const trying = runTry(plan, {
    ...{ options, command: 'try', root: folder, name: 'equal', redactor: createRedactor() },
    ...{ signal: AbortSignal.timeout(120_000), onProgress() {}, onNote() {} },
    ...{ earlier: undefined, maxMs: 600_000, smallest: 0.05 },
    isEnough: () => decided++ === pairs,
    // A B, then B A
    random: () => (decided % 2 === 1 ? 0 : 0.5),
    readReport: async run => (await analyseRun(run)).report,
    ...{ describe: () => '', describeForecast: () => '' },
    tools: {
      start: async ({ label }) => {
        moments.push(`start ${label}`);
        const stop = async () => {
          await untilStop?.(moments);
          moments.push(`stop ${label}`);
        };
        return { config, pid: null, script, stop };
      },
      findServer: async () => /** @type {any} */ (null),
      writeReport: async run => /** @type {any} */ ((await analyseRun(run)).report),
      ...tools?.(moments),
    },
  });
  return { trying, moments, folder };
}

// They wait for their loads.
describe('a try', { concurrency: 3 }, () => {
  test('a run is analysed while its server stops and the next one starts, and before its load', async t => {
    const { trying, moments } = await tryOut(t, {
      pairs: 1,
      tools: moments => ({
        writeReport: async run => {
          moments.push('analyse');
          const deadlineMs = Date.now() + 10_000;
          while (!moments.includes('start B') && Date.now() < deadlineMs) await nextTurn();
          const { report } = await analyseRun(run);
          moments.push('analysed');
          return /** @type {any} */ (report);
        },
      }),
    });
    const { pairs } = await trying;
    assert.equal(pairs.length, 1);
    assert.deepEqual(moments.slice(0, 10), [
      ...['start A', 'request /', 'request /api', 'analyse', 'stop A'],
      ...['start B', 'analysed', 'request /', 'request /api', 'analyse'],
    ]);
    assert.deepEqual(moments.slice(10).sort(), ['analysed', 'stop B']);
  });

  test('a demo starts while the earlier one stops, and gets no load before that has stopped', async t => {
    const { trying, moments } = await tryOut(t, {
      pairs: 1,
      command: null,
      untilStop: async all => {
        const deadlineMs = Date.now() + 10_000;
        while (!all.includes('start B') && Date.now() < deadlineMs) await nextTurn();
      },
    });
    await trying;
    assert.deepEqual(moments, [
      ...['start A', 'request /', 'request /api', 'start B', 'stop A'],
      ...['request /', 'request /api', 'stop B'],
    ]);
  });

  test('each side is checked before its first load only', async t => {
    const { trying, moments } = await tryOut(t, { pairs: 2 });
    const { pairs } = await trying;
    assert.equal(pairs.length, 2);
    assert.deepEqual(
      moments.filter(own => !own.startsWith('stop')),
      [
        ...['start A', 'request /', 'request /api'],
        ...['start B', 'request /', 'request /api'],
        ...['start B', 'request /api', 'start A', 'request /api'],
      ],
    );
  });

  test('a side whose requests fail is named, though the other one has started', async t => {
    const { trying, moments } = await tryOut(t, { pairs: 1, status: 500 });
    await assert.rejects(
      trying,
      /** @param {any} error */ error => {
        assert.equal(error.code, 'TRY_FAILURES');
        assert.match(error.message, /^100\.0 % of the requests to A fail: 500 × \d+$/);
        return true;
      },
    );
    assert.equal(moments.filter(own => own.startsWith('start')).length, 2);
    assert.equal(moments.at(-1), 'stop B');
  });

  test('a pair takes as long as pairs did on average, however long the first one took', async t => {
    let stops = 0;
    const { trying, folder } = await tryOut(t, {
      pairs: 2,
      untilStop: async () => {
        stops += 1;
        if (stops === 1) await sleep(4000);
      },
    });
    await trying;
    const [own = ''] = findRunFolders(folder, 'journal.ndjson');
    const { records } = await readNdjson(path.join(own, 'journal.ndjson'));
    const [first, second] = records.flatMap(({ kind, pairMs }) => (kind === 'noise' ? pairMs : []));
    assert.ok(first > 4000 && second < first, `${first} ${second}`);
  });
});
