import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LoadflameError } from '../../lib/errors.js';
import { findWayIn } from '../../lib/record/find-pod-servers.js';

/** @import { Cluster } from '../../lib/record/cluster/connect.js' */

const OPTIONS = { image: null, isTrial: false };

test('a pod without a Python server is told with the containers that were looked into', async () => {
  /** @type {string[]} */
  const asked = [];
  const run = async (/** @type {{container: string}} */ { container }) => {
    asked.push(container);
    const stdout = '==> /proc/1/stat <==\n1 (node) S 0 1 1\n\n==> /proc/1/cmdline <==\nnode\0';
    return { exitCode: 0, stdout, stderr: '', reason: '' };
  };
  const cluster = /** @type {Cluster} */ (/** @type {unknown} */ ({ exec: { run } }));
  const containerStatuses = ['web', 'proxy'].map(name => ({ name, state: { running: {} } }));
  const waiting = { name: 'late', state: { waiting: {} } };
  const item = {
    metadata: { name: 'api-1' },
    status: { containerStatuses: [...containerStatuses, waiting] },
  };
  await assert.rejects(findWayIn(cluster, item, OPTIONS), {
    code: 'POD_NO_SERVER',
    message: 'found no Python server in the pod api-1 (containers: web, proxy)',
  });
  assert.deepEqual(asked, ['web', 'proxy']);
  const none = { metadata: { name: 'api-2' } };
  await assert.rejects(findWayIn(cluster, none, OPTIONS), {
    message: /api-2 \(containers: none runs\)/,
  });
});

test('an image without py-spy is told by its container', async () => {
  const list =
    '==> /proc/7/stat <==\n7 (gunicorn) S 0 1 1\n\n==> /proc/7/cmdline <==\n/opt/bin/python3\0/opt/bin/gunicorn\0';
  /** @type {string[][]} */
  const commands = [];
  const run = async (/** @type {unknown} */ _, /** @type {string[]} */ command) => {
    commands.push(command);
    const isList = commands.length === 1;
    return { exitCode: isList ? 0 : 1, stdout: isList ? list : '', stderr: '', reason: '' };
  };
  const cluster = /** @type {Cluster} */ (/** @type {unknown} */ ({ exec: { run } }));
  const containerStatuses = [{ name: 'web', state: { running: {} } }];
  await assert.rejects(
    findWayIn(cluster, { metadata: { name: 'a' }, status: { containerStatuses } }, OPTIONS),
    {
      code: 'POD_NO_PYSPY',
      message: 'py-spy is not in the container web of the pod a',
    },
  );
  // Beside the interpreter, and beside the program.
  assert.deepEqual(commands[1]?.slice(-2), ['/opt/bin/py-spy', '/opt/bin/py-spy']);
});

test('where no way leads to a profile, each that was tried says why', async () => {
  const list =
    '==> /proc/7/stat <==\n7 (gunicorn) S 0 1 1\n\n==> /proc/7/cmdline <==\n/opt/bin/python3\0/opt/bin/gunicorn\0';
  /** @type {unknown[]} */
  const sent = [];
  const run = async (/** @type {unknown} */ _, /** @type {string[]} */ command) => {
    const file = command.at(-1) ?? '';
    const stdout = /status$/.test(file) ? 'Uid:\t5\t1000\nGid:\t5\t0\n' : '';
    const isList = command.length === 3 && file.includes('/stat');
    return { exitCode: isList ? 0 : 1, stdout: isList ? list : stdout, stderr: '', reason: '' };
  };
  const send = async (
    /** @type {unknown} */ _,
    /** @type {any} */ body,
    /** @type {any} */ query,
  ) => {
    sent.push(body.spec.ephemeralContainers[0].securityContext, query);
    throw new LoadflameError('POD_CONTAINER_REFUSED', { reason: 'a rule' });
  };
  const cluster = /** @type {Cluster} */ (/** @type {unknown} */ ({ exec: { run }, send }));
  const containers = [{ name: 'web', securityContext: { runAsNonRoot: true } }];
  const containerStatuses = [{ name: 'web', state: { running: {} } }];
  const item = { metadata: { name: 'a' }, spec: { containers }, status: { containerStatuses } };
  await assert.rejects(findWayIn(cluster, item, { image: 'spy:1', isTrial: true }), {
    code: 'POD_NOT_PROFILED',
    message: /py-spy is not in the container web of the pod a; .*be added to the pod: a rule$/,
  });
  // As the user that runs it, and asked for only.
  const security = { runAsNonRoot: true, runAsUser: 1000, runAsGroup: 0 };
  assert.deepEqual(sent, [security, { dryRun: 'All' }]);
});
