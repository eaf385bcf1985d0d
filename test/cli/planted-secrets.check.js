/**
 * The whole property: thirty kinds of secrets in ten places, everything run for real, and nothing of them in
 * what is left behind, on the screen, in lists of processes or for other users of the machine.
 */
import assert from 'node:assert/strict';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'yaml';
import { startProvider } from '../../demo/start-provider.js';
import { readText } from '../../lib/base/process/process-table.js';
import { findFreePort, PYTHON, waitUntil } from '../helpers/gunicorn.js';
import { readEnvironment } from '../helpers/marked-processes.js';
import { findPlanted, plantSecrets } from '../helpers/planted-secrets.js';
import { makeScene } from '../helpers/scene.js';
import {
  makeTellingHooks,
  makeTellingScript,
  makeTellingStudy,
  startTellingTarget,
  TELLING_SERVER,
} from '../helpers/telling-programs.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

/** @typedef {import('../helpers/planted-secrets.js').Planted} Planted */

/** py-spy begins with a segment before the one before ends; by then it has samples of the new one. */
const NEXT_SEGMENT_MS = 1000;

/** @param {string} folder @returns {string[]} paths */
function listFiles(folder) {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => path.join(entry.parentPath, entry.name));
  } catch {
    return [];
  }
}

/** Those of a folder with a load, but no cells of a study. @param {string} root */
function listRuns(root) {
  const found = listFiles(root).filter(file => file.endsWith('/load/metrics.ndjson'));
  return found.map(file => path.resolve(file, '../..')).filter(run => path.dirname(run) === root);
}

/** Files and processes go while they are looked at. @param {string} file */
const readOrEmpty = file => readText(file) ?? '';

/** @param {string} folder @param {Planted} planted @param {(file: string) => boolean} [counts] */
function findInFolder(folder, planted, counts = () => true) {
  return listFiles(folder)
    .filter(counts)
    .flatMap(file => findPlanted(readOrEmpty(file), planted).map(found => `${file}: ${found}`));
}

/** In a temporary folder some files hold them while they are used: nobody else may read those. @param {string} file */
function isForOthers(file) {
  return [file, path.dirname(file)].every(
    place => ((statSync(place, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0,
  );
}

/**
 * Looks at what others may see, again and again.
 * @param {ReturnType<typeof makeScene>} scene @param {string} temp @param {Planted} planted
 */
function watch(scene, temp, planted) {
  /** @type {Set<string>} */
  const leaks = new Set();
  /** @type {Set<string>} */
  const programs = new Set();
  const timer = setInterval(() => {
    for (const { pid, command } of scene.processes.list()) {
      programs.add(command);
      // The user's own shell, envs.sh, the service of the study and the server of --command are told theirs.
      const isTold =
        command === '' || /bin\/loadflame\.js|^env -0$|^sh |DB_PASSWORD|serve\.py/.test(command);
      const words = /serve\.py/.test(command) ? '' : readOrEmpty(`/proc/${pid}/cmdline`);
      const seen = [words, isTold ? '' : readEnvironment(pid)];
      for (const found of findPlanted(seen.join(' '), planted)) leaks.add(`${command}: ${found}`);
    }
    for (const leak of findInFolder(temp, planted, isForOthers)) leaks.add(leak);
    // What py-spy wrote is without secrets a moment later.
    const isOurs = (/** @type {string} */ file) => !/(?:segment|waits)-\d+\.raw$/.test(file);
    for (const leak of findInFolder(scene.root, planted, isOurs)) leaks.add(leak);
  }, 250);
  return () => {
    clearInterval(timer);
    return { leaks: [...leaks], programs: [...programs] };
  };
}

test('thirty kinds of secrets in ten places leave no trace', async t => {
  const planted = plantSecrets();
  const provider = await startProvider({
    dir: makeTempFolder(t),
    users: [{ username: 'clerk', password: planted.password }],
    secrets: { client: planted.clientSecret, api: 'not-used' },
  });
  t.after(provider.stop);
  const target = await startTellingTarget(t, planted);
  const temp = makeTempFolder(t);
  const out = makeTempFolder(t);
  const scene = makeScene(t, {
    TMPDIR: temp,
    OIDC_PASSWORD: planted.password,
    AWS_SECRET_ACCESS_KEY: planted.awsSecret,
    // Nobody declares it; the hooks read it.
    SHOP_API_TOKEN: planted.undeclared,
    BROKER_URL: `redis://:${planted.argument}@db/0`,
  });
  const settings = {
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: 'queue-management',
    OIDC_CLIENT_SECRET: planted.clientSecret,
    OIDC_USERNAME: 'clerk',
    API_KEY: planted.apiKey,
    LOG_FILES: target.logFile,
  };
  const shell = Object.entries(settings).map(([name, value]) => `export ${name}='${value}'\n`);
  writeFileSync(path.join(scene.home, 'envs.sh'), shell.join(''));
  writeFileSync(path.join(scene.home, 'users.csv'), `anna,${planted.githubToken}\n`);
  writeFileSync(path.join(scene.home, 'hooks.cjs'), makeTellingHooks(planted));
  const script = path.join(scene.home, 'load.yaml');
  writeFileSync(script, stringify(makeTellingScript(planted, target.port)));
  const study = path.join(scene.home, 'telling.yaml');
  writeFileSync(study, stringify(makeTellingStudy(planted)));

  const stopWatching = watch(scene, temp, planted);
  /** @param {string[]} args @param {Record<string, string>} [env] */
  const run = async (args, env = {}) => {
    const started = scene.start(args, { env });
    const exit = await started.ended;
    return { exit, output: started.output() };
  };
  const server = path.join(scene.home, 'serve.py');
  writeFileSync(server, TELLING_SERVER);
  const port = await findFreePort();
  /** Until a segment is written, and the next one has samples. @param {string} root @param {NodeJS.Signals} end */
  const profile = async (root, end) => {
    const command = ['profile', '--profiles', root, '--command', `${PYTHON} ${server} ${port}`];
    const env = { DB_PASSWORD: planted.redisPassword, TARGET: `http://127.0.0.1:${port}` };
    const started = scene.start(command, { env });
    const isWritten = (/** @type {string} */ file) =>
      file.endsWith('segments.ndjson') && readOrEmpty(file).includes('"kind":"segment"');
    await waitUntil(() => listFiles(root).some(isWritten), 'a segment');
    await sleep(NEXT_SEGMENT_MS);
    started.signalAlone(end);
    const exit = await started.ended;
    await scene.processes.listLeft();
    return { exit, output: started.output() };
  };
  const killedRoot = path.join(scene.root, 'killed');
  const artilleryRoot = path.join(out, 'artillery');
  const inRoot = ['--profiles', scene.root];
  const runs = {
    doctor: await run(['doctor', script]),
    refused: await run(['doctor', script], { OIDC_PASSWORD: planted.passphrase }),
    test: await run([
      'test',
      script,
      ...inRoot,
      '--junit',
      path.join(out, 'junit.xml'),
      '--markdown',
      path.join(out, 'summary.md'),
    ]),
    artillery: await run(['test', script, '--profiles', artilleryRoot, '--engine', 'artillery']),
    failing: await run(['test', script, ...inRoot, '--set', 'MAX_VIRTUAL_USERS=1'], {
      OIDC_PASSWORD: planted.passphrase,
    }),
    study: await run(['study', 'run', study, ...inRoot]),
    profile: await profile(scene.root, 'SIGINT'),
    report: await run(['report', 'last', ...inRoot]),
    killed: await profile(killedRoot, 'SIGKILL'),
    compare: await run(['compare', ...inRoot, ...listRuns(scene.root), ...listRuns(artilleryRoot)]),
  };
  const left = findInFolder(killedRoot, planted);
  const repaired = await run(['report', '--profiles', killedRoot]);

  const { leaks, programs } = stopWatching();
  for (const [name, { output }] of Object.entries({ ...runs, repaired })) {
    await t.test(`the terminal: ${name}`, () => assert.deepEqual(findPlanted(output, planted), []));
  }
  await t.test('files', () => {
    assert.deepEqual(findInFolder(scene.root, planted), []);
    for (const name of ['junit.xml', 'summary.md'])
      assert.deepEqual(findPlanted(readOrEmpty(path.join(out, name)), planted), [], name);
  });
  await t.test('files of a run of Artillery', () => {
    assert.deepEqual(findInFolder(artilleryRoot, planted), []);
  });
  await t.test('temporary files', () => assert.deepEqual(findInFolder(temp, planted), []));
  await t.test('processes and files, while they were at work', () => assert.deepEqual(leaks, []));
  await t.test('it was looked at the right things', () => {
    // Nearly every answer is an error.
    assert.equal(runs.test.exit, 6, runs.test.output);
    assert.equal(runs.study.exit, 0, runs.study.output);
    assert.equal(runs.profile.exit, 0, runs.profile.output);
    assert.match(left.join(), /(?:segment|waits)-\d+\.raw: argument/, 'py-spy wrote the last file');
    assert.equal(repaired.exit, 0, repaired.output);
    assert.equal(runs.compare.exit, 6, runs.compare.output);
    assert.ok(target.answers() > 100, `${target.answers()} answers`);
    const files = listFiles(scene.root);
    for (const name of [
      'errors.ndjson',
      'generator.log',
      'script.json',
      'plan.json',
      'api.log',
      'report.html',
      'server.log',
      'compare.html',
    ])
      assert.ok(
        files.some(file => file.endsWith(name)),
        name,
      );
    const all = files.map(readOrEmpty).join('');
    assert.match(all, /captured \[redacted\] and \[redacted\]/);
    assert.match(all, /starting with \[redacted\]/);
    assert.match(all, /knows redis:\/\/\[redacted\]@db\/0 \[redacted\]/);
    assert.match(all, /serve\.py \d+ --password \[redacted\] redis:/);
    for (const program of [/generator\/main\.js/, /artillery\/bin\/run/, /py-spy record/])
      assert.ok(
        programs.some(command => program.test(command)),
        `${program} of ${programs}`,
      );
  });
});
