/** @import { Call } from '../io.js' */
/** @import { Tools } from '../../try/measure-side.js' */
import path from 'node:path';
import { readConfig } from '../../config/read-config.js';
import { LoadflameError } from '../../errors.js';
import { createRedactor } from '../../files/redaction.js';
import { buildComparison } from '../../many/compare/build-comparison.js';
import { readScenarioBlock } from '../../preflight/scenario-block.js';
import { isAddress, readScript } from '../../record/load/script/read-script.js';
import { findRunFolders, RUNS_FOLDER } from '../../run/run-folder.js';
import { describeSoFar } from '../../text/try.js';
import { chooseLoad } from '../../try/choose-load.js';
import { judgeTry } from '../../try/judge-try.js';
import { addRemedy } from '../../try/remedies.js';
import { listOf, runTry } from '../../try/run-try.js';
import { readSides } from '../../try/sides.js';
import { startServer } from '../../try/start-server.js';
import { concludeComparison } from '../gates.js';
import { createNamer, exitCode, quoteForShell, runWithProgress } from '../io.js';
import { hasDemo, loadDemo, readDemoOptions, startDemoUnless } from '../load-demo.js';
import { prepareGates } from '../prepare-gates.js';
import { prepareProfile } from '../prepare-profile.js';
import { placeRuns, readOrigin, readReports } from '../read-runs.js';
import { withoutPauses } from '../warm-up.js';
import { writeOutputs } from '../write-outputs.js';

/** @import { Report } from '../../facts/report.d.ts' */

/** Defaults for many short runs. */
const TIMES = { WARM_UP_DURATION: '3', DURATION: '10' };

/**
 * A remedy is for the API whose report advises it, which may not be the demo.
 * @param {string} [root] the folder that holds the runs
 * @throws {LoadflameError} TRY_SIDES
 */
function refuseDemo(root = RUNS_FOLDER) {
  const last = findRunFolders(root).at(-1);
  const { target, script, settings = [] } = last ? readOrigin(last) : {};
  if (!target || settings.some(({ source }) => source === 'demo')) return;
  throw new LoadflameError('TRY_SIDES', {
    problem: `without --command, --fix measures the demo, but the last run is of ${target}`,
    change: `add --command '<how you start your API>' and ${script?.name ?? 'the address to request'}`,
  });
}

/** @param {Call} call */
export async function run({ args: [given], options, flags, command, io }) {
  const named = [options.command, options.aCommand, options.bCommand, given].some(Boolean);
  const isDemo = hasDemo && !named && options.a === '.' && options.b === '.';
  if (isDemo && options.fix) refuseDemo(options.profiles);
  const demoLoad = isDemo ? (await loadDemo()).TRY : null;
  const script = given ?? demoLoad?.script;
  if (!script)
    throw new LoadflameError('TRY_SIDES', {
      problem: 'no script',
      change: 'name one, or an address: `loadflame try … scenarios/my-api.yaml`',
    });
  const target = demoLoad?.target ?? (isAddress(script) && new URL(script).origin);
  const read = (/** @type {Record<string, string>} */ more, flagSource = 'flag') =>
    readConfig({ flags: { ...TIMES, ...flags, ...more }, flagSource, env: io.env });
  const config = read(target ? { TARGET: target } : {});
  const gates = await prepareGates(config, options);
  const load = {
    ...{ insecure: options.insecure ?? false, log: false },
    ...(isDemo && { overrides: { scenarios: withoutPauses(readScript(script).script.scenarios) } }),
  };
  const { variables } = readScenarioBlock(script, load);
  const redactor = createRedactor(config.withVariables(variables).secrets);
  const plan = {
    target: config.require('TARGET'),
    sides: await readSides(addRemedy(options), { isDemo, redactText: redactor.redactText }),
    ...chooseLoad(script, config, {
      options: load,
      users: options.users ?? demoLoad?.users,
      warmUpSec: config.get('WARM_UP_DURATION'),
      durationSec: config.get('DURATION'),
    }),
  };
  return runWithProgress(io, async ({ progress, signal }) => {
    const quiet = { ...progress, say: () => {} };
    /** @type {Tools} */
    const tools = {
      start: async ({ command, env, folder: cwd }, root) => {
        const own = { ...io.env, ...env };
        if (command === null) {
          const demo = await startDemoUnless(signal, await readDemoOptions(own));
          const { gunicornPid: pid, logFiles } = demo;
          return { ...demo, config: read(demo.env, 'demo'), pid, script, log: logFiles.error };
        }
        const context = { config, root, signal, redactor, cwd, env: own, say: () => {} };
        return { ...(await startServer(command, context)), config, script };
      },
      findServer: started => prepareProfile(started.config, quiet, signal, started.pid),
      writeReport: folder => writeOutputs(folder, { ...gates, io, redactor }),
    };
    const result = await runTry(plan, {
      ...{ options: load, command, tools, redactor, signal, onProgress: progress.update },
      ...{ onNote: progress.say, root: options.profiles, name: path.parse(script).name },
      ...{ earlier: options.continue, maxMs: options.max * 1000, smallest: options.smallest },
      readReport: folder =>
        readReports([folder], gates).then(([report]) => /** @type {Report} */ (report)),
      describe: describeSoFar,
    });
    const { pairs, files, end } = result;
    const place = quoteForShell(path.relative('', files.folder));
    // Before any `--`, after which it would be the script.
    const again = command
      .replace(/ --continue[ =](?:'[^']*'|\S+)/, '')
      .replace(' try', () => ` try --continue ${place}`);
    const sayHow = () => io.stderr.write(`\nto continue, type: ${createNamer(io)(again)}\n`);
    if (signal.aborted && pairs.length === 0) {
      sayHow();
      return exitCode({ interrupted: true });
    }
    const [folders, reports] = [listOf(pairs, 'folder'), listOf(pairs, 'report')];
    progress.update('comparing …');
    const comparison = await buildComparison(reports.before, reports.after, {
      labels: { before: plan.sides.a.label, after: plan.sides.b.label },
      places: placeRuns(folders, files.folder),
    });
    progress.stop();
    const facts = judgeTry(comparison, redactor.redactValue(plan), {
      ...result,
      smallest: options.smallest,
    });
    const ending = await concludeComparison(gates, { facts, reports: reports.after, files, io });
    if (end !== 'decided') sayHow();
    return exitCode({ ...ending, interrupted: signal.aborted });
  });
}
