import { InvalidArgumentError } from 'commander';
import { catchInterrupts } from '../interrupt.js';
import { readDemoOptions, startDemoUnless } from '../load-demo.js';
import { startProgress } from '../progress.js';

const MOST_WORKERS = 64;

/** @param {import('commander').Command} program */
export function addDemoCommand(program) {
  program
    .command('demo')
    .description(
      'start the demo API and identity provider, print the envs.sh lines for them, stay up',
    )
    .option('--workers <n>', 'gunicorn workers', parseWorkers, 2)
    .addHelpText(
      'after',
      `
DEMO_AUTH chooses how the API validates tokens: introspect (asks the provider on every request,
with a new TLS context each time), decode (builds the key anew each time) or cached.
DEMO_COMPANION=0 leaves out the gunicorn companion (docs/companion.md), as with an API that has none.
DEMO_SLOW_QUERY_MS=100 makes its database slow: requests wait, and CPU is idle.

Examples:
  loadflame demo > envs.sh        then, in another terminal: npm run tests:profile
  npm run --silent demo > envs.sh
  DEMO_AUTH=cached loadflame demo`,
    )
    .action(async ({ workers }) => {
      const options = await readDemoOptions(process.env);
      const { signal, release } = catchInterrupts();
      const progress = startProgress();
      progress.update('starting the demo API and identity provider …');
      const demo = await startDemoUnless(signal, { ...options, workers });
      progress.stop();
      for (const [name, value] of Object.entries(demo.env)) {
        process.stdout.write(`export ${name}='${value}'\n`);
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
    });
}

/** @param {string} text @returns {number} */
function parseWorkers(text) {
  const workers = Number(text);
  if (/^\d+$/.test(text) && workers >= 1 && workers <= MOST_WORKERS) return workers;
  throw new InvalidArgumentError(`A whole number from 1 to ${MOST_WORKERS} is allowed.`);
}
