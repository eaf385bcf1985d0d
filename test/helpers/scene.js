/** What an end-to-end test of the command line needs: a target, terminals, a folder of runs. */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { readNdjson } from '../../lib/run/ndjson.js';
import { runFiles } from '../../lib/run/run-folder.js';
import { FIXTURES, PYTHON, waitUntil } from './gunicorn.js';
import { markProcesses } from './marked-processes.js';
import { makeTempFolder } from './temp-folder.js';

export const REPOSITORY = path.resolve(import.meta.dirname, '../..');
export const LOADFLAME = path.join(REPOSITORY, 'bin', 'loadflame.js');
export const SCENARIOS = path.join(REPOSITORY, 'scenarios');
/** A load of a few light requests whose users end soon. */
export const SCRIPT = path.join(FIXTURES, 'short-load.yaml');
/** The command lines of our children. */
export const PY_SPY = /py-spy record/;
export const GENERATOR = /load\/generator\/main\.js/;

/** @typedef {import('../../demo/start.js').Demo} Demo */
/** @typedef {ReturnType<typeof openRun>} Run */

/**
 * @param {import('node:test').TestContext} t
 * @param {Record<string, string>} env
 * @param {{root?: string, cwd?: string}} [options]
 */
export function makeScene(t, env, { root = path.join(makeTempFolder(t), 'runs'), cwd } = {}) {
  const processes = markProcesses(t);
  const home = cwd ?? makeTempFolder(t);
  // Settings of whoever runs the tests must not reach them.
  const inherited = Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(OIDC|KEYCLOAK|GUNICORN|SERVER|NODE_TEST)/.test(name),
    ),
  );
  const environment = { ...inherited, ...env, ...processes.env };

  /** What was started and has ended. @type {string[]} */
  const ended = [];
  let running = 0;

  /** @param {string[]} args @param {{program?: string[], env?: Record<string, string>, cwd?: string}} [options] */
  const start = (
    args,
    { program = [process.execPath, LOADFLAME], env: more, cwd: folder } = {},
  ) => {
    const [file = '', ...first] = program;
    const child = spawn(file, [...first, ...args], {
      cwd: folder ?? home,
      env: { ...environment, ...more },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', text => {
        output += text;
      });
    }
    running += 1;
    /** @type {Promise<number | NodeJS.Signals | null>} exit code, or the signal that ended it */
    const end = new Promise(resolve =>
      child.on('close', (code, signal) => {
        running -= 1;
        ended.push(output);
        resolve(code ?? signal);
      }),
    );
    const pid = child.pid ?? -1;
    return {
      pid,
      ended: end,
      output: () => output,
      /** @param {string} keys */
      type: keys => child.stdin.write(keys),
      /** The end of its standard input; of a terminal, its window. */
      close: () => child.stdin.end(),
      /** As a terminal does it: to all processes of the job. @param {NodeJS.Signals} name */
      signal: name => process.kill(-pid, name),
      /** @param {NodeJS.Signals} name */
      signalAlone: name => process.kill(pid, name),
      /** @param {RegExp} pattern */
      waitFor: pattern =>
        waitUntil(() => {
          if (child.exitCode !== null && !pattern.test(output)) throw new Error(output);
          return pattern.test(output);
        }, `${pattern} in:\n${output}`),
    };
  };

  const listRuns = () => (existsSync(root) ? readdirSync(root).sort() : []);
  /** The run of this name, as soon as it is there. @param {RegExp} [name] */
  const waitForRun = async (name = /./) => {
    const found = await waitUntil(() => {
      // Asked before the folder is looked at: a run may come and end in between.
      const isOver = ended.length > 0 && running === 0;
      const found = listRuns().find(
        run => name.test(run) && existsSync(path.join(root, run, 'run.json')),
      );
      if (!found && isOver) throw new Error(`no run ${name}, and all is over: ${ended}`);
      return found;
    }, `a run ${name}`);
    return openRun(path.join(root, String(found)));
  };
  return {
    root,
    home,
    processes,
    listRuns,
    waitForRun,
    /** @param {string[]} [args] */
    profile: (args = []) => start(['profile', '--profiles', root, ...args]),
    /** @param {string[]} [args] @param {Record<string, string>} [more] environment */
    test: (args = [SCRIPT], more = {}) =>
      start(['test', ...args, '--profiles', root], { env: more }),
    start,
    /** In a terminal of its own. @param {string[]} command @param {string} [folder] */
    startInTerminal: (command, folder) =>
      start(command, { program: [PYTHON, path.join(FIXTURES, 'terminal.py')], cwd: folder }),
    /** The same as `loadflame …` @param {string[]} args */
    loadflameInTerminal: args =>
      start([process.execPath, LOADFLAME, ...args, '--profiles', root], {
        program: [PYTHON, path.join(FIXTURES, 'terminal.py')],
      }),
  };
}

/** @param {string} folder of a run */
export function openRun(folder) {
  const files = runFiles(folder);
  const records = async (/** @type {string} */ file) => (await readNdjson(file)).records;
  const readReport = () =>
    /** @type {import('../../lib/run/facts/report.d.ts').Report} */ (
      JSON.parse(readFileSync(files.reportJson, 'utf8'))
    );
  /** How many load tests have sent something. */
  const countLoads = async () => {
    let loads = 0;
    let isSending = false;
    for (const { kind, counters } of await records(files.metrics)) {
      if (kind === 'load-start') isSending = false;
      if (kind === 'second' && counters['http.responses'] && !isSending) {
        isSending = true;
        loads++;
      }
    }
    return loads;
  };
  const countResponses = async () =>
    (await records(files.metrics))
      .filter(({ kind }) => kind === 'second')
      .reduce((sum, { counters }) => sum + (counters['http.responses'] ?? 0), 0);
  return {
    folder,
    files,
    records,
    readReport,
    readManifest: () =>
      /** @type {import('../../lib/run/facts/records.d.ts').Manifest} */ (
        JSON.parse(readFileSync(files.manifest, 'utf8'))
      ),
    /** @param {number} [nth] */
    waitForLoad: (nth = 1) =>
      waitUntil(async () => (await countLoads()) >= nth, `load ${nth} in ${folder}`),
    /** @param {number} n answers recorded */
    waitForAnswers: n =>
      waitUntil(async () => (await countResponses()) >= n, `${n} answers in ${folder}`),
    /** @param {number} [n] segments written */
    waitForSegments: (n = 1) =>
      waitUntil(
        async () =>
          (await records(files.segments)).filter(({ kind }) => kind === 'segment').length >= n,
        `${n} segments in ${folder}`,
      ),
    waitForRecording: () =>
      waitUntil(
        async () => (await records(files.segments)).some(({ kind }) => kind === 'recording-start'),
        `a recording in ${folder}`,
      ),
  };
}
