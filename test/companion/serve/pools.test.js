import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { readStat, readThreadTimes } from '../../../lib/base/process/process-table.js';
import { PYTHON, waitUntil } from '../../helpers/gunicorn.js';
import { COMPANION } from '../../helpers/joined-companion.js';
import { test } from '../../helpers/quiet.js';

const linux = { skip: process.platform === 'linux' ? false : 'needs /proc' };

const PROGRAM = `
import loadflame_companion, sys, threading
loadflame_companion.POOLS.follow()
loadflame_companion.show_awaits_from_now_on()
threading.Thread(target=threading.Event().wait, daemon=True).start()
print(len(loadflame_companion.find_original("sys", "_current_frames")()), flush=True)
sys.stdin.read()`;

test(
  'threads of the companion wait for no request: the scheduler’s figures leave them out',
  linux,
  async t => {
    const env = { ...process.env, PYTHONPATH: COMPANION, LOADFLAME: '1' };
    const server = spawn(PYTHON, ['-B', '-c', PROGRAM], { env });
    t.after(() => server.kill('SIGKILL'));
    const pid = Number(server.pid);
    await once(createInterface(server.stdout), 'line');
    await waitUntil(() => readThreadTimes(pid).length === 2);
    assert.equal(readStat(pid)?.threads, 2 + 1 + 4);
  },
);
