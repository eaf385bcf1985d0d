/** The image of the Containerfile, on a base that is made of this machine's files: how it is built and what runs in it. */
import assert from 'node:assert/strict';
import {
  chmodSync,
  cpSync,
  globSync,
  mkdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { before, test } from 'node:test';
import { execa } from 'execa';
import { startDemo } from '../../demo/start.js';
import { readConfig } from '../../lib/base/config/read-config.js';
import { packLoad } from '../../lib/load/in-cluster/pack-load.js';
import { readLine } from '../../lib/load/in-cluster/worker-lines.js';
import { prepareLoad } from '../../lib/load/start-load.js';
import { startFakeTarget } from '../helpers/fake-target.js';
import { needs } from '../helpers/needs.js';
import { endWithFile, makeTempFolder } from '../helpers/temp-folder.js';
import { buildImage, OWN } from './build-image.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const skip =
  process.platform !== 'linux' || process.getuid?.() !== 0
    ? 'needs Linux and root: buildah mounts'
    : needs('buildah');
/** What a namespace of OpenShift may start its pods with. */
const UID = 1_000_660_000;

/** What the tests share: the mounted image and its settings. @type {{root: string, config: any}} */
let image;

const untilEnd = endWithFile();
before(async () => {
  if (skip) return;
  const folder = makeTempFolder(untilEnd);
  const buildah = await buildImage(folder);
  const about = JSON.parse(await buildah('inspect', '--type', 'image', OWN));
  // With this storage driver it is a plain folder: nothing has to be unmounted.
  const root = await buildah('mount', await buildah('from', OWN));
  image = { root, config: about.OCIv1.config };
});

/**
 * @param {{work: string, given?: string, entrypoint?: string[]}} places folders of this machine
 * @param {string[]} args
 * @param {{env?: Record<string, string>, input?: string}} [options]
 */
async function runInside(
  { work, given = work, entrypoint = image.config.Entrypoint },
  args,
  options = {},
) {
  const { env = {}, input = '' } = options;
  const variables = [...image.config.Env, ...Object.entries(env).map(pair => pair.join('='))];
  const script = path.join(import.meta.dirname, 'run-inside.sh');
  const program = ['/usr/bin/env', '-i', ...variables, ...entrypoint, ...args];
  const { exitCode, stdout, stderr } = await execa(
    'unshare',
    ['--mount', script, image.root, work, given, image.config.WorkingDir, ...program],
    { reject: false, input },
  );
  return { exit: exitCode, stdout, stderr };
}

/** A folder of root in which the group may write, as a volume of a pod. @param {import('node:test').TestContext} t */
function makeVolume(t) {
  const parent = makeTempFolder(t);
  chmodSync(parent, 0o755);
  const folder = path.join(parent, 'volume');
  mkdirSync(folder);
  chmodSync(folder, 0o2770);
  return folder;
}

test('the image says its version as any user, and can write nowhere else', { skip }, async t => {
  const work = makeVolume(t);
  const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  const told = await runInside({ work }, ['--version']);
  assert.deepEqual(told, { exit: 0, stdout: version, stderr: '' });
  const program = `
    const { writeFileSync } = require('node:fs');
    const fails = ['/opt/loadflame/x', '/x', '/work/x', '/tmp/x'].map(file => {
      try { writeFileSync(file, ''); } catch ({ code }) { return code; }
    });
    console.log(JSON.stringify([process.getuid(), process.getgid(), ...fails]));`;
  const { stdout } = await runInside({ work, entrypoint: ['node'] }, ['-e', program]);
  assert.deepEqual(JSON.parse(stdout), [UID, 0, 'EROFS', 'EROFS', null, null]);
});

test('the image is small beside its base', { skip }, async t => {
  const sizes = await Promise.all(
    ['', 'opt/loadflame'].map(async folder => {
      const { stdout } = await execa('du', ['-sk', path.join(image.root, folder)]);
      return Math.round(Number.parseInt(stdout, 10) / 1024);
    }),
  );
  const [all = 0, own = 0] = sizes;
  t.diagnostic(`${own} MB without the base, ${all} MB with the base of this machine`);
  assert.ok(own > 30 && own < 80, `${own} MB`);
});

test('the image load-tests the demo, and its run is on the volume', { skip }, async t => {
  const work = makeVolume(t);
  cpSync(path.join(ROOT, 'scenarios'), path.join(work, 'scenarios'), { recursive: true });
  const demo = await startDemo({ auth: 'cached' });
  t.after(demo.stop);
  // The API's logs are not in the image.
  const env = {
    ...demo.env,
    LOG_FILES: '',
    WARM_UP_DURATION: '0',
    RAMP_DURATION: '0',
    DURATION: '4',
  };
  const { exit, stdout, stderr } = await runInside({ work }, ['test', 'scenarios/csr-http.yaml'], {
    env,
  });
  assert.equal(exit, 0, stderr + stdout);
  const [report = ''] = globSync(path.join(work, 'profiles/*/report.json'));
  const { load } = JSON.parse(readFileSync(report, 'utf8'));
  assert.ok(load.http.responses > 10, String(load.http.responses));
  assert.equal(load.users.failed, 0);
  assert.equal(statSync(report).uid, UID);
});

test('the image sends its share of a load as a worker of a cluster', { skip }, async t => {
  const [work, given] = [makeVolume(t), makeVolume(t)];
  const target = await startFakeTarget(t, { '/': { json: [] } });
  const script = path.join(given, 'load.yaml');
  const load = 'config: { phases: [{ duration: 1, arrivalRate: 20 }] }';
  writeFileSync(script, `${load}\nscenarios: [{ flow: [{ get: { url: / } }] }]\n`);
  const config = readConfig({ env: { TARGET: target }, folder: null });
  const prepared = prepareLoad(script, config, {});
  const secret = packLoad(prepared, config, {}, { workers: 2, waitSec: 60 });
  for (const [key, bytes] of Object.entries(secret)) writeFileSync(path.join(given, key), bytes);

  const { exit, stdout, stderr } = await runInside({ work, given }, ['cluster', 'worker'], {
    env: { JOB_COMPLETION_INDEX: '0' },
    input: `${JSON.stringify({ startAtMs: Date.now() + 5000 })}\n`,
  });
  assert.equal(exit, 0, stderr + stdout);
  const lines = stdout.split('\n').flatMap(line => readLine(line) ?? []);
  const says = lines.map(({ say }) => say).filter(say => say !== 'record');
  assert.deepEqual(says, ['ready', 'begins', 'end'], stdout);
  const seconds = lines.flatMap(({ record }) => (record?.kind === 'second' ? [record] : []));
  const responses = seconds.reduce(
    (sum, { counters }) => sum + (counters['http.responses'] ?? 0),
    0,
  );
  assert.equal(responses, 10);
});
