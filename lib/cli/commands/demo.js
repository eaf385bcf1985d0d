/** @import { Call } from '../io.js' */
import { catchInterrupts, quoteForShell, startProgress } from '../io.js';
import { readDemoOptions, startDemoUnless } from '../load-demo.js';

/** @param {Call} call */
export async function run({ options: { workers }, io }) {
  const options = await readDemoOptions(io.env);
  const { signal, release } = catchInterrupts(() => {});
  const progress = startProgress(io);
  progress.update('starting the demo API and identity provider …');
  const demo = await startDemoUnless(signal, { ...options, workers });
  progress.stop();
  for (const [name, value] of Object.entries(demo.env)) {
    io.stdout.write(`export ${name}=${quoteForShell(value)}\n`);
  }
  progress.say(
    `\nThe demo is up (DEMO_AUTH=${options.auth}, gunicorn master ${demo.gunicornPid}). Ctrl+C stops it.`,
  );
  if (!signal.aborted) {
    await new Promise(resolve => {
      const keepAlive = setInterval(() => {}, 1 << 30);
      signal.addEventListener('abort', () => {
        clearInterval(keepAlive);
        resolve(undefined);
      });
    });
  }
  await demo.stop();
  release();
}
