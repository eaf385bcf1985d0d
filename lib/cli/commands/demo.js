/** @import { Call } from '../io.js' */
import { setTimeout as sleep } from 'node:timers/promises';
import { quoteForShell } from '../../base/format.js';
import { runWithProgress } from '../io.js';
import { readDemoOptions, startDemoUnless } from '../load-demo.js';

/** The longest time of a timer. */
const LONGEST_MS = 2 ** 31 - 1;

/** @param {Call} call */
export async function run({ options: { workers }, io }) {
  const options = await readDemoOptions(io.env);
  await runWithProgress(
    io,
    async ({ progress, signal }) => {
      progress.update('starting the demo API and identity provider …');
      const demo = await startDemoUnless(signal, { ...options, workers });
      progress.stop();
      for (const [name, value] of Object.entries(demo.env))
        io.stdout.write(`export ${name}=${quoteForShell(value)}\n`);
      progress.say(
        `\nThe demo is up (DEMO_AUTH=${options.auth}, gunicorn master ${demo.gunicornPid}). Ctrl+C stops it.`,
      );
      await sleep(LONGEST_MS, undefined, { signal }).catch(() => {});
      await demo.stop();
    },
    { first: 'stopping the demo …', later: 'still stopping …' },
  );
}
