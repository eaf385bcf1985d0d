/** @import { Call } from '../io.js' */
/** @import { Tools } from '../../experiment/try/measure-side.js' */
import path from 'node:path';
import { readConfig } from '../../base/config/read-config.js';
import { LoadflameError } from '../../base/errors.js';
import { createRedactor } from '../../base/files/redaction.js';
import { chooseLoad, withoutPauses } from '../../experiment/choose-load.js';
import { buildComparison } from '../../experiment/compare/build-comparison.js';
import { readScenarioBlock } from '../../experiment/preflight/scenario-block.js';
import { startServer } from '../../experiment/server/start-server.js';
import { judgeTry } from '../../experiment/try/judge-try.js';
import { addRemedy } from '../../experiment/try/remedies.js';
import { listOf, runTry } from '../../experiment/try/run-try.js';
import { readSides } from '../../experiment/try/sides.js';
import { isAddress, readScript } from '../../load/script/read-script.js';
import { findRunFolders, RUNS_FOLDER, runFiles } from '../../run/run-folder.js';
import { describeForecast, describeSoFar } from '../../text/try.js';
import { exitCode } from '../exit-code.js';
import { concludeComparison } from '../gates.js';
import { continueCommand, createNamer, runWithProgress } from '../io.js';
import { hasDemo, loadDemo, readDemoOptions, startDemoUnless } from '../load-demo.js';
import { prepareGates } from '../prepare-gates.js';
import { prepareProfile } from '../prepare-profile.js';
import { placeRuns, readOneReport, readOrigin } from '../read-runs.js';
import { writeOutputs } from '../write-outputs.js';

/** For many short runs. */
const TIMES = { DURATION: '10' };

/**
 * A remedy is for the API whose report advises it, which may not be the demo.
 * @param {string} [root] the folder that holds the runs
 * @throws {LoadflameError} TRY_FIX_DEMO
 */
function refuseDemo(root = RUNS_FOLDER) {
  const last = findRunFolders(root).at(-1);
  const { target, script, settings = [] } = last ? readOrigin(last) : {};
  if (!target || settings.some(({ source }) => source === 'demo')) return;
  const load = script?.name ?? 'the address to request';
  throw new LoadflameError('TRY_FIX_DEMO', { target, load });
}

/** @param {Call} call */
export const run = call => tryOut(call, 'try', { readSides, measure: runTry });

/**
 * @param {Call} call
 * @param {'try' | 'bisect'} name of the command
 * @param {{readSides: typeof readSides, measure: typeof runTry}} form
 */
export async function tryOut({ args: [given], options, flags, command, io }, name, form) {
  const named = [options.command, options.aCommand, options.bCommand, given].some(Boolean);
  const isDemo = hasDemo && !named && options.a === '.' && options.b === '.';
  if (isDemo && options.fix) refuseDemo(options.profiles);
  const demoLoad = isDemo ? (await loadDemo()).TRY : null;
  const script = given ?? demoLoad?.script;
  if (!script) throw new LoadflameError('TRY_NO_SCRIPT');
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
  config.require('TARGET');
  const plan = {
    isNoise: options.noise ?? false,
    sides: await form.readSides(addRemedy(options), { isDemo, redactText: redactor.redactText }),
    ...chooseLoad(script, config, {
      options: load,
      users: options.users ?? demoLoad?.users,
      warmUpSec: flags.WARM_UP_DURATION ? config.get('WARM_UP_DURATION') : undefined,
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
    const result = await form.measure(plan, {
      ...{ options: load, command, tools, redactor, signal, onProgress: progress.update },
      ...{ onNote: progress.say, root: options.profiles, name: path.parse(script).name },
      ...{ earlier: options.continue, maxMs: options.max * 1000, smallest: options.smallest },
      readReport: folder => readOneReport(folder, gates.rulesFile),
      ...{ describe: describeSoFar, describeForecast },
    });
    const { pairs, end } = result;
    // A bisection ends with a try of its own sides.
    const tried = { ...plan, ...(result.sides && { sides: result.sides }) };
    const files = runFiles(result.folder);
    const typed = continueCommand(redactor.redactText(command), name, files.folder);
    const sayHow = () => io.stderr.write(`\nto continue, type: ${createNamer(io)(typed)}\n`);
    if (signal.aborted && pairs.length === 0) {
      sayHow();
      return exitCode({ interrupted: true });
    }
    const [folders, reports] = [listOf(pairs, 'folder'), listOf(pairs, 'report')];
    progress.update('comparing …');
    const comparison = await buildComparison(reports.before, reports.after, {
      labels: { before: tried.sides.a.label, after: tried.sides.b.label },
      places: placeRuns(folders, files.folder),
    });
    progress.stop();
    const facts = judgeTry(comparison, redactor.redactValue(tried), result);
    const ending = await concludeComparison(gates, { facts, reports: reports.after, files, io });
    if (end !== 'decided') sayHow();
    if (options.failUndecided && facts.verdict.level === 'unknown') ending.failed = true;
    return exitCode({ ...(name === 'try' && ending), interrupted: signal.aborted });
  });
}
