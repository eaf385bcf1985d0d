import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LoadflameError } from '../../lib/base/errors.js';
import { readCpuStat } from '../../lib/base/kubernetes/exec.js';
import { findWayIn } from '../../lib/record/find-pod-servers.js';

/** @import { Cluster } from '../../lib/base/kubernetes/connect.js' */

const OPTIONS = { image: null, isTrial: false };

test('reports a pod without a Python server with its inspected containers', async () => {
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

test('names the container of an image without py-spy', async () => {
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
    message:
      /py-spy is not in the container web of the pod a; .*allow adding a container to the pod: a rule$/,
  });
  // As the user that runs it, and asked for only.
  const security = { runAsNonRoot: true, runAsUser: 1000, runAsGroup: 0 };
  assert.deepEqual(sent, [security, { dryRun: 'All' }]);
});

/**
 * As containerd says it (grafana/mimir#10571, Kubernetes 1.31), and an older runtime that has it on the error output
 * (cert-manager/cert-manager#3784). That of CRI-O was never recorded here.
 */
const WITHOUT_SHELL = [
  {
    exitCode: null,
    reason: `Internal error occurred: Internal error occurred: error executing command in container: failed to exec in container: failed to start exec "${'8'.repeat(64)}": OCI runtime exec failed: exec failed: unable to start container process: exec: "sh": executable file not found in $PATH: unknown`,
    stderr: '',
  },
  {
    exitCode: 126,
    reason: 'command terminated with non-zero exit code',
    stderr:
      'OCI runtime exec failed: exec failed: container_linux.go:370: starting container process caused: exec: "sh": stat sh: no such file or directory: unknown',
  },
];
const GUNICORN =
  '==> /proc/7/stat <==\n7 (gunicorn) S 0 1 1\n\n==> /proc/7/cmdline <==\n/opt/bin/python3\0/opt/bin/gunicorn\0';

test('without a shell in the image, a container that is added shows the server', async () => {
  const securityContext = { runAsNonRoot: true };
  const item = {
    metadata: { name: 'api-1' },
    spec: { containers: [{ name: 'web', securityContext }] },
    status: { containerStatuses: [{ name: 'web', state: { running: {} } }] },
  };
  for (const end of WITHOUT_SHELL) {
    /** @type {any[]} */
    const added = [];
    const run = async (
      /** @type {{container: string}} */ { container },
      /** @type {string[]} */ command,
    ) => {
      const [program = '', , script = ''] = command;
      if (container === 'web') return { ...end, stdout: '' };
      const isRead = command.at(-1) === '/proc/7/status';
      const stdout = isRead
        ? 'Uid:\t1001\t1001\nGid:\t0\t0\n'
        : program !== 'sh'
          ? 'Python v3.13.1\n'
          : script.includes('/stat')
            ? GUNICORN
            : 'py-spy 0.4.1\n/usr/bin/py-spy\n';
      // The first container that is added has another user.
      const isRefused = program.endsWith('py-spy') && container === added[0]?.name;
      const stderr = 'Error: Permission Denied: Try running again with elevated permissions';
      return isRefused
        ? { exitCode: 1, stdout: '', stderr, reason: '' }
        : { exitCode: 0, stdout, stderr: '', reason: '' };
    };
    const send = async (/** @type {unknown} */ _, /** @type {any} */ { spec }) =>
      added.push(...spec.ephemeralContainers);
    const ask = async () => {
      const running = added.map(({ name }) => ({ name, state: { running: {} } }));
      return { items: [{ status: { ephemeralContainerStatuses: running } }] };
    };
    const cluster = /** @type {any} */ ({ exec: { run, start: run }, send, ask });

    await assert.rejects(findWayIn(cluster, item, OPTIONS), {
      code: 'POD_NO_PROGRAM',
      message: 'the container web of the pod api-1 has no `sh`',
    });
    assert.equal(added.length, 0);
    const { way, server, found, refused } = await findWayIn(cluster, item, {
      ...{ image: 'spy:1', isTrial: false },
    });
    assert.deepEqual([way, server?.rootPid, found?.pySpy.version], ['added', 7, '0.4.1']);
    assert.deepEqual(
      refused.map(({ code }) => code),
      ['PYSPY_PERMISSION'],
    );
    assert.deepEqual(
      added.map(one => [one.targetContainerName, one.securityContext]),
      [
        ['web', { ...securityContext, runAsUser: 65532, runAsGroup: 65532 }],
        ['web', { ...securityContext, runAsUser: 1001, runAsGroup: 0 }],
      ],
    );
    const trial = await findWayIn(cluster, item, { image: 'spy:1', isTrial: true });
    assert.deepEqual([trial.way, trial.server, trial.found], ['added', null, null]);
  }
});

test('names the container without `cat` whose CPU quota is therefore unknown', async () => {
  for (const end of WITHOUT_SHELL) {
    const text = JSON.parse(JSON.stringify(end).replaceAll('\\"sh', '\\"cat'));
    const exec = /** @type {any} */ ({ run: async () => ({ ...text, stdout: '' }) });
    await assert.rejects(readCpuStat({ exec }, { pod: 'api-1', container: 'web' }), {
      code: 'POD_NO_PROGRAM',
      message: 'the container web of the pod api-1 has no `cat`',
    });
  }
});
