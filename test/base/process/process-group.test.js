import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { test } from 'node:test';
import { listGroup, signalGroup, trackGroup } from '../../../lib/base/process/process-group.js';
import { waitUntil } from '../../helpers/gunicorn.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

const FIXTURE = path.resolve(import.meta.dirname, '../../fixtures/reused-pids.js');
const OWN_NUMBERS = [
  '--user',
  '--map-root-user',
  '--pid',
  '--fork',
  '--kill-child',
  '--mount-proc',
];
const canChoose = spawnSync('unshare', [...OWN_NUMBERS, 'true']).status === 0;

test('a stranger who has the number of what we started is not ended with it', {
  skip: canChoose ? false : 'needs a kernel that lets us have process numbers of our own',
}, t => {
  const { stdout, stderr } = spawnSync(
    'unshare',
    [...OWN_NUMBERS, process.execPath, FIXTURE, makeTempFolder(t)],
    { encoding: 'utf8', timeout: 60_000 },
  );
  assert.equal(stderr, '');
  assert.deepEqual(
    Object.entries(JSON.parse(stdout)).filter(([, isAlive]) => !isAlive),
    [],
  );
});

const onLinux = { skip: process.platform === 'linux' ? false : 'needs /proc' };

test(
  'what a leader leaves behind is of its group, until the last of it has ended',
  onLinux,
  async t => {
    const leader = spawn('sh', ['-c', 'sleep 60 & sleep 60 & echo; read end'], {
      detached: true,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const group = trackGroup(Number(leader.pid));
    t.after(() => signalGroup(group, 'SIGKILL'));
    await once(leader.stdout, 'data');
    leader.stdin.end();
    await once(leader, 'exit');
    assert.equal(listGroup(group).length, 2);
    assert.equal(signalGroup(group, 'SIGKILL'), true);
    await waitUntil(() => listGroup(group).length === 0, 'the end of all');
    assert.equal(signalGroup(group, 0), false);
  },
);

test(
  'members of a group whose leader ended unnoticed, and of which nobody is known, are strangers',
  onLinux,
  async t => {
    const other = spawn('sh', ['-c', 'sleep 60 & echo; read end'], { detached: true });
    t.after(() => process.kill(-Number(other.pid), 'SIGKILL'));
    await once(other.stdout, 'data');
    other.stdin.end();
    await once(other, 'exit');
    const group = { pid: Number(other.pid), seen: { [Number(other.pid)]: 1 }, isLed: false };
    assert.deepEqual(listGroup(group), []);
    assert.equal(signalGroup(group, 'SIGTERM'), false);
  },
);
