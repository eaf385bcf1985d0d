/** One run, from its folder to the last record, as one readable story: `runSession`. */
import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { maskSettings } from '../base/config/read-config.js';
import { LoadflameError } from '../base/errors.js';
import { createRedactor } from '../base/files/redaction.js';
import { isClusterNamed } from '../base/kubernetes/permissions.js';
import { attempt } from '../base/process/attempt.js';
import { interruptible, stoppable, throwIfInterrupted } from '../base/process/interruptible.js';
import { readStartTicks, readText } from '../base/process/process-table.js';
import { describeLoad, describeRecording } from '../load/progress-text.js';
import { findSecrets, prepareLoad, startLoad } from '../load/start-load.js';
import { checkLogFiles } from '../record/logs/log-files.js';
import { findPodMaster } from '../record/profiler/pod-recorder.js';
import { describePython } from '../record/target/python-packages.js';
import { findActiveRecording, hasLoadAtWork } from '../run/active-recording.js';
import { describeHost, describeVersions } from '../run/host.js';
import { readManifest, updateManifest, writeManifest } from '../run/manifest.js';
import { createNdjsonWriter } from '../run/ndjson.js';
import { createRunFolder } from '../run/run-folder.js';
import { startLogin } from './login.js';
import { askFirstAddresses } from './preflight/first-addresses.js';
import { checkTarget, runScenarioCheck } from './preflight/preflight.js';
import { readScenarioBlock } from './preflight/scenario-block.js';
import { startRecorders } from './start-recorders.js';

/** @import { WarmUp } from '../run/facts/quality.d.ts' */
/** @import { ScenarioBlock } from './preflight/scenario-block.js' */
/** @import { PreparedScript } from '../load/prepare-script.js' */
/** @import { LoadEnd } from '../load/load.d.ts' */
/** @import { LoadProgress } from '../load/messages.js' */
/** @import { RecordingOptions } from './start-recorders.js' */
/** @import { NdjsonWriter } from '../run/ndjson.js' */
/** @import { Redactor } from '../base/files/redaction.js' */
/** @import { RunFiles } from '../run/run-folder.js' */

/**
 * @typedef {RecordingOptions & OwnOptions} SessionOptions
 */

/**
 * @typedef {object} OwnOptions
 * @property {string} command as typed, for the manifest
 * @property {string} root folder that holds the runs
 * @property {AbortSignal} signal stops everything and keeps what there is
 * @property {string} [measuredPhase] the only phase that reports are of
 * @property {WarmUp | null} [warmUp] how its load was chosen, for the report
 * @property {Redactor} [redactor] of what goes on beside the run; it learns what the run teaches
 * @property {boolean} [isTargetReady] somebody has seen to it that the target answers: it is not asked
 * @property {boolean} [isServerNew] its CPU time without requests is measured, also if it is ready
 * @property {(folder: string) => void} [onFolder] the run is under way, in its folder
 * @property {() => void} [onLoad] everything is recorded, and the load runs
 * @property {(progress: LoadProgress) => void} [onLoadProgress] once a second
 * @property {() => Promise<void>} [afterLoad] what is still to be recorded when the load has ended
 * @property {import('../load/load.d.ts').Steering} [steering] changes the load while it runs
 * @property {(line: string) => void} [onLog] what the script and its hooks print
 */

/**
 * @typedef {object} SessionEnd
 * @property {RunFiles} files
 * @property {boolean} joined the load went into the folder of a recording that another process owns
 * @property {LoadEnd | null} loadEnd
 */

/**
 * Records one run. Whatever happens, what was started is stopped and what was measured is on disk.
 * @param {SessionOptions} options
 * @returns {Promise<SessionEnd>}
 * @throws {LoadflameError} INTERRUPTED, and what the parts throw; a folder in
 *   which nothing was measured does not stay
 */
export async function runSession(options) {
  const { load, profile, root, signal } = options;
  const scenario = load && readScenarioBlock(load.script, load.options);
  const config = options.config.withVariables(scenario?.variables ?? []);
  const { redactor = createRedactor() } = options;
  checkLogFiles(config.get('LOG_FILES'));
  const prepared = load && prepareLoad(load.script, config, load.options);
  for (const secret of [...config.secrets, ...(prepared ? findSecrets(prepared) : [])])
    redactor.add(secret, { forever: true });
  for (const note of prepared?.notes ?? []) options.onNote(redactor.redactText(note));

  // Tokens come first: a wrong password must not leave a run folder behind. Workers in a cluster log in themselves.
  const isInside = load?.options.inside !== undefined;
  const login =
    prepared &&
    scenario &&
    !isInside &&
    (await interruptible(
      signal,
      logInAndCheck({ ...options, config }, { prepared, scenario, redactor }),
    ).catch(error => {
      throw redactor.redactError(error);
    }));
  const joinable = load && !profile && !isInside ? findJoinable(root, load.options.engine) : null;
  const files = joinable ?? createRunFolder(root, path.parse(load?.script ?? 'profile').name);
  const onWriteError = tellOnce(options.onNote);
  const events = createNdjsonWriter(files.events, { onError: onWriteError });
  const run = {
    ...options,
    config,
    files,
    events,
    onWriteError,
    redactor,
    prepared,
    login: login || null,
    joined: joinable !== null,
  };
  const recorders = await begin(run).catch(cause => {
    // Nothing was measured: a folder that says otherwise must not stay.
    if (!run.joined) rmSync(files.folder, { recursive: true, force: true });
    else events.append('load-left', { source: 'load', pid: process.pid });
    void run.login?.stop();
    // Ctrl+C reaches a py-spy that attaches, and sudo, too, which then fail.
    throw signal.aborted
      ? new LoadflameError('INTERRUPTED', {}, { cause })
      : redactor.redactError(cause);
  });
  options.onFolder?.(files.folder);
  /** @type {LoadEnd | null} */
  let loadEnd = null;
  try {
    if (prepared) loadEnd = await runLoad(run, recorders);
    else await waitForEnd(signal, recorders, options);
  } catch (error) {
    const { message } = /** @type {Error} */ (redactor.redactError(error));
    events.append('session-failed', { source: 'session', message });
    throw error;
  } finally {
    await attempt('the end of the login', () => run.login?.stop(), options.onNote);
    await recorders.stop();
    if (run.joined) events.append('load-left', { source: 'load', pid: process.pid });
    const isNothingKept =
      (signal.aborted || (isInside && !existsSync(files.metrics))) &&
      prepared &&
      !loadEnd &&
      !run.joined;
    if (isNothingKept) rmSync(files.folder, { recursive: true, force: true });
    else await closeManifest({ ...run, hasLoad: prepared !== null }).catch(onWriteError);
  }
  return { files, joined: run.joined, loadEnd };
}

/**
 * The target responds, the login works, and what the script says of the target is true.
 * @param {SessionOptions} options
 * @param {object} context
 * @param {PreparedScript} context.prepared
 * @param {ScenarioBlock} context.scenario
 * @param {Redactor} context.redactor
 */
async function logInAndCheck(options, { prepared, scenario, redactor }) {
  const { config, isTargetReady, onProgress, onNote } = options;
  if (!isTargetReady) {
    onProgress('checking the target …');
    const warning = await checkTarget(config, scenario, prepared);
    if (warning) onNote(warning);
  }
  const { target } = prepared;
  const login = await startLogin(config, redactor, { target, onProgress, onNote });
  if (isTargetReady) return login;
  const token = login?.tokens.tokens()[0] ?? null;
  try {
    for (const check of scenario.checks) {
      await runScenarioCheck(check, { ...prepared, config, token });
    }
    const { warnings } = await askFirstAddresses(prepared, { config, token });
    for (const text of warnings) onNote(`warning: ${text}`);
  } catch (error) {
    await login?.stop();
    throw error;
  }
  return login;
}

/** From an empty folder to recorders at work. @param {Run} run */
async function begin(run) {
  run.login?.recordTo(run.files.tokens);
  if (run.joined) joinRecording(run);
  else openManifest(run);
  if (run.warmUp) run.events.append('warm-up', { source: 'session', ...run.warmUp });
  if (asksCluster(run)) {
    const { trustsAnyApi } = await import('../base/kubernetes/connect.js');
    if (await trustsAnyApi(run.config, run.redactor))
      run.events.append('cluster-trusts-anyone', { source: 'session' });
  }
  const recorders = await startRecorders(run);
  if (run.signal.aborted) await recorders.stop();
  throwIfInterrupted(run.signal);
  return recorders;
}

/** @param {Run} run */
function asksCluster({ config, files, load, profile }) {
  // The recording that a load has joined asks it already.
  const isWatched = isClusterNamed(config) && !existsSync(files.cluster);
  return isWatched || Boolean(load?.options.inside ?? profile?.pods);
}

/** @typedef {SessionOptions & {files: RunFiles, events: NdjsonWriter, redactor: Redactor, prepared: PreparedScript | null, login: Awaited<ReturnType<typeof startLogin>>, joined: boolean, onWriteError: (error: Error) => void}} Run */

/** @param {Run} run */
function openManifest(run) {
  const { files, config, command, load, prepared, profile, redactor, measuredPhase } = run;
  const kind = load ? (profile ? 'load+profile' : 'load') : 'profile';
  const { python, packages, modules } = describePython(profile?.server?.rootPid ?? 0);
  writeManifest(files.manifest, {
    schema: 'loadflame-run/1',
    id: path.basename(files.folder),
    kind,
    status: 'running',
    reasons: [],
    pid: process.pid,
    pidStartTicks: readStartTicks(process.pid),
    startedAtMs: Date.now(),
    endedAtMs: null,
    command: redactor.redactText(command),
    target: redactor.redactValue(prepared?.target ?? config.get('TARGET')),
    script: prepared && { name: prepared.name, sha256: prepared.sha256 },
    versions: {
      ...describeVersions(),
      ...prepared?.versions,
      ...(profile?.pySpy && { 'py-spy': profile.pySpy.version }),
      ...(python && { python }),
    },
    ...(packages && { packages: redactor.redactValue(packages) }),
    ...(modules && { modules: redactor.redactValue(modules) }),
    // What is recorded in pods says nothing of the machine that they run on.
    host: profile?.pods ? null : describeHost(),
    // Distinguishes this machine from others until it restarts.
    bootId: readText('/proc/sys/kernel/random/boot_id')?.trim() ?? null,
    settings: redactor.redactValue(maskSettings(config)),
    profile: profile && {
      ...(profile.server && { rootPid: profile.server.rootPid }),
      front: profile.server?.front ?? null,
      masterPid: profile.server?.masterPid ?? findPodMaster(profile.pods ?? []),
      rateHz: profile.pySpy || profile.pods ? config.get('PROFILE_RATE') : null,
      taskWorkers: profile.taskWorkers && {
        name: profile.taskWorkers.name,
        rootPids: profile.taskWorkers.roots.map(({ rootPid }) => rootPid),
      },
    },
    ...(measuredPhase && { measuredPhase }),
    joinable: !load,
  });
}

/** @param {Run} run */
function joinRecording({ files, events, config, command, prepared, redactor, onNote }) {
  events.append('load-joined', {
    source: 'load',
    pid: process.pid,
    pidStartTicks: readStartTicks(process.pid),
    message: `load test ${prepared?.name}`,
  });
  updateManifest(files.manifest, earlier => ({
    kind: 'load+profile',
    command: `${earlier.command} + ${redactor.redactText(command)}`,
    target: redactor.redactValue(prepared?.target ?? null),
    script: prepared && { name: prepared.name, sha256: prepared.sha256 },
    // The phases and users that a reader asks for are those of this terminal.
    settings: redactor.redactValue(maskSettings(config)),
  }));
  onNote(`joined the recording in ${files.folder}`);
}

/**
 * Says in the manifest how the run ended. A recording belongs to the process that made it; after
 * that, the load that ends last writes it.
 * @param {Pick<Run, 'files' | 'joined'> & {hasLoad: boolean}} run
 */
async function closeManifest(run) {
  const { files, joined, hasLoad } = run;
  const manifest = readManifest(files.manifest);
  if (joined && manifest.status === 'running') return;
  const [{ readRun }, { findPartialReasons }] = await Promise.all([
    import('../analysis/read/read-run.js'),
    import('../analysis/load/partial-reasons.js'),
  ]);
  const records = await readRun(files.folder);
  const isLoadAtWork = hasLoad ? false : records.isLoadAtWork;
  const reasons = findPartialReasons({ ...records, active: true, isLoadAtWork });
  updateManifest(files.manifest, {
    status: reasons.length > 0 ? 'partial' : 'complete',
    reasons,
    endedAtMs: Date.now(),
    joinable: false,
  });
  // It left while its records were read, and expected this process to write the end.
  if (isLoadAtWork && !hasLoadAtWork(files)) await closeManifest(run);
}

/** @typedef {Awaited<ReturnType<typeof startRecorders>>} Recorders */

/** @param {Run} run @param {Recorders} recorders */
async function runLoad(run, recorders) {
  const { prepared, config, files, login, redactor, signal } = run;
  if (!prepared) throw new TypeError('there is no load to run');
  const options = run.load?.options ?? {};
  const idle = watchIdle(run);
  // Artillery begins by itself.
  if (idle && options.engine === 'artillery') await interruptible(signal, idle);
  run.onProgress('starting the load …');
  const running = await startLoad({
    prepared,
    settings: config,
    files,
    tokens: login?.tokens ?? null,
    secrets: login?.tokens.secrets(),
    redactor,
    steering: run.steering,
    options: { ...(idle && { begin: () => idle }), ...options },
    say: {
      onWait: run.onProgress,
      onProgress: progress => {
        run.onLoadProgress?.(progress);
        run.onProgress(describeLoad(progress, recorders.stats() ?? null));
      },
      onNote: run.onNote,
      onLog: run.onLog,
    },
    signal,
  });
  try {
    await interruptible(signal, idle ?? Promise.resolve());
    await recorders.markLoad(running.pid);
    run.onLoad?.();
    const end = await stoppable(signal, () => void running.stop(), running.ended);
    await run.afterLoad?.();
    return end;
  } finally {
    // Whatever fails here, no load goes on behind our back.
    await running.stop();
  }
}

/** What the server uses without requests is no part of their cost. An analysis needs 1.5 s of it. */
const IDLE_MS = 1600;

/** The generator starts meanwhile. @param {Run} run @returns {Promise<undefined> | null} until the load may begin */
function watchIdle({ servers, profile, joined, load, ...run }) {
  const { isTargetReady = false, isServerNew = !isTargetReady } = run;
  const isWatched = Boolean(profile?.server ?? servers?.[0]) && !load?.options.inside;
  return isWatched && !joined && isServerNew ? sleep(IDLE_MS, undefined, { ref: false }) : null;
}

/**
 * A profile without load goes on until it is stopped, or there is nothing left to record.
 * @param {AbortSignal} signal
 * @param {Recorders} recorders
 * @param {SessionOptions} options
 */
async function waitForEnd(signal, { profiler, stats }, { onProgress }) {
  if (!profiler) return;
  const startedMs = Date.now();
  const tell = () => onProgress(describeRecording(startedMs, stats()));
  const timer = setInterval(tell, 500);
  tell();
  await interruptible(signal, profiler.ended).catch(error => {
    if (!signal.aborted) throw error;
  });
  clearInterval(timer);
}

/**
 * A recording that a load can go into. What Artillery leaves can't be merged with another load's.
 * @param {string} root
 * @param {import('../load/load.d.ts').LoadOptions['engine']} engine
 */
function findJoinable(root, engine) {
  const files = findActiveRecording(root);
  const isTaken = files && existsSync(engine === 'artillery' ? files.metrics : files.artillery);
  return isTaken ? null : files;
}

/** A full disk is met by every recorder, again and again. @param {(line: string) => void} onNote */
function tellOnce(onNote) {
  let isTold = false;
  return (/** @type {Error} */ { message }) => {
    if (!isTold) onNote(`cannot write the run folder: ${message}`);
    isTold = true;
  };
}
