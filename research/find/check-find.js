/**
 * `node research/find/check-find.js <searches> [limit in ms] [servers] [service time in ms]`: how near
 * `loadflame test --find` comes to the rate at which the p95 of a queue with a known curve reaches the limit. Arrivals
 * are Poisson; the truth is simulated.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { execa } from 'execa';
import { createRandom } from '../../lib/math/random.js';
import { makeTempFolder } from '../../lib/process/temp-folder.js';
import { startQueueServer } from './queue-server.js';
import { findTruth } from './simulated-queue.js';

const LOADFLAME = new URL('../../bin/loadflame.js', import.meta.url).pathname;

const [searches = 10, limitMs = 250, servers = 4, serviceMs = 100] = process.argv
  .slice(2)
  .map(Number);
const truth = findTruth({ servers, serviceMs }, limitMs, createRandom(1));
console.log(`p95 is ${limitMs} ms at ${truth.toFixed(1)}/s`);
const folder = makeTempFolder();
const script = path.join(folder, 'queue.json');
let good = 0;
for (let search = 1; search <= searches; search++) {
  const server = await startQueueServer({ servers, serviceMs });
  const phases = [{ duration: 20, arrivalRate: 10, mode: 'poisson' }];
  const scenarios = [{ flow: [{ get: { url: '/' } }] }];
  writeFileSync(script, JSON.stringify({ config: { target: server.url, phases }, scenarios }));
  const root = path.join(folder, `${search}`);
  const args = ['test', script, '--find', `http.p95 < ${limitMs}ms`, '--max-duration', '8m'];
  const { exitCode } = await execa(process.execPath, [LOADFLAME, ...args, '--profiles', root], {
    reject: false,
  });
  await server.stop();
  const [name = ''] = readdirSync(root);
  const { end, below, keeps, fails, steps, elapsedMs } = JSON.parse(
    readFileSync(path.join(root, name, 'find.json'), 'utf8'),
  );
  const ratio = (below?.level ?? 0) / truth;
  if (Math.abs(ratio - 1) <= 0.1) good++;
  const figures = `${below?.level}/s (${keeps} to ${fails}), ${ratio.toFixed(2)} of the truth`;
  console.log(
    `${search}: ${end}, exit ${exitCode}, ${figures}, ${steps.length} steps, ${Math.round(elapsedMs / 1000)} s`,
  );
}
console.log(`${good} of ${searches} within 10 %`);
