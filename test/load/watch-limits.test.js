import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test from 'node:test';
import { usableCpus } from '../../lib/load/prepare-script.js';

const V2_MOUNT =
  '31 23 0:28 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate,memory_recursiveprot';
const V1_MOUNT =
  '32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,nosuid shared:10 - cgroup cgroup rw,cpu,cpuacct';

/**
 * A system of nothing but these files.
 * @param {test.TestContext} t
 * @param {Record<string, string>} files
 */
function createRoot(t, files) {
  const root = mkdtempSync(path.join(os.tmpdir(), 'loadflame-cgroup-'));
  t.after(() => rmSync(root, { recursive: true }));
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.join(root, path.dirname(file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  }
  return root;
}

test('the smallest quota of a cgroup and those above it counts, in v2', t => {
  const root = createRoot(t, {
    'proc/self/cgroup': '0::/kubepods/pod1/main\n',
    'proc/self/mountinfo': `23 1 8:1 / / rw - ext4 /dev/sda rw\n${V2_MOUNT}\n`,
    'sys/fs/cgroup/cpu.max': 'max 100000\n',
    'sys/fs/cgroup/kubepods/cpu.max': '800000 100000\n',
    'sys/fs/cgroup/kubepods/pod1/cpu.max': '150000 100000\n',
    'sys/fs/cgroup/kubepods/pod1/main/cpu.max': 'max 100000\n',
  });
  assert.equal(usableCpus({ root, processors: Infinity }), 1.5);
  assert.equal(usableCpus({ root, processors: 8 }), 1.5);
  assert.equal(usableCpus({ root, processors: 1 }), 1);
});

test('a container that is the root of its cgroups has the quota of the root', t => {
  const root = createRoot(t, {
    'proc/self/cgroup': '0::/\n',
    'proc/self/mountinfo': `${V2_MOUNT}\n`,
    'sys/fs/cgroup/cpu.max': '50000 100000\n',
  });
  assert.equal(usableCpus({ root, processors: Infinity }), 0.5);
});

test('quotas of v1 are read from the hierarchy of the cpu controller', t => {
  const root = createRoot(t, {
    'proc/self/cgroup': '5:memory:/a\n4:cpu,cpuacct:/docker/abc\n0::/\n',
    'proc/self/mountinfo': `${V1_MOUNT}\n`,
    'sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_quota_us': '250000\n',
    'sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_period_us': '100000\n',
    'sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us': '-1\n',
    'sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us': '100000\n',
  });
  assert.equal(usableCpus({ root, processors: Infinity }), 2.5);
});

test('a container of v1 whose mount is its own cgroup finds its quota, blanks in paths too', t => {
  const root = createRoot(t, {
    'proc/self/cgroup': '4:cpu:/docker/a b\n',
    'proc/self/mountinfo':
      '32 31 0:29 /docker/a\\040b /sys/fs/my\\040cpu ro - cgroup cgroup rw,cpu\n',
    'sys/fs/my cpu/cpu.cfs_quota_us': '300000\n',
    'sys/fs/my cpu/cpu.cfs_period_us': '200000\n',
  });
  assert.equal(usableCpus({ root, processors: Infinity }), 1.5);
});

test('a process outside of what its mount shows takes the quota of the mount', t => {
  const root = createRoot(t, {
    'proc/self/cgroup': '0::/../../elsewhere\n',
    'proc/self/mountinfo': `${V2_MOUNT}\n`,
    'sys/fs/cgroup/cpu.max': '120000 100000\n',
  });
  assert.equal(usableCpus({ root, processors: Infinity }), 1.2);
});

test('without a quota or without cgroups only affinity limits', t => {
  const unlimited = createRoot(t, {
    'proc/self/cgroup': '0::/user.slice\n',
    'proc/self/mountinfo': `${V2_MOUNT}\n`,
    'sys/fs/cgroup/user.slice/cpu.max': 'max 100000\n',
  });
  assert.equal(usableCpus({ root: unlimited, processors: Infinity }), Infinity);
  assert.equal(usableCpus({ root: createRoot(t, {}), processors: 6 }), 6);
  const here = usableCpus();
  assert.ok(here > 0 && here <= os.availableParallelism(), `${here} on this machine`);
});
