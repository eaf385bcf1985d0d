import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findPodServer } from '../../lib/record/find-pod-servers.js';

/** @import { Cluster } from '../../lib/record/cluster/connect.js' */

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
  await assert.rejects(findPodServer(cluster, item), {
    code: 'POD_NO_SERVER',
    message: 'found no Python server in the pod api-1 (containers: web, proxy)',
  });
  assert.deepEqual(asked, ['web', 'proxy']);
  const none = { metadata: { name: 'api-2' } };
  await assert.rejects(findPodServer(cluster, none), {
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
    findPodServer(cluster, { metadata: { name: 'a' }, status: { containerStatuses } }),
    {
      code: 'POD_NO_PYSPY',
      message: 'py-spy is not in the container web of the pod a',
    },
  );
  // Beside the interpreter, and beside the program.
  assert.deepEqual(commands[1]?.slice(-2), ['/opt/bin/py-spy', '/opt/bin/py-spy']);
});
