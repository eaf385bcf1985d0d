import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { listServing } from '../../lib/record/target/process-family.js';
import { startRedis } from '../demo/redis.js';
import { FIXTURES, waitUntil } from '../helpers/gunicorn.js';
import { needs, needsModules } from '../helpers/needs.js';
import { startPython, startPythonServer } from '../helpers/python-server.js';
import { test } from '../helpers/quiet.js';
import { makeScene } from '../helpers/scene.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

const SCRIPT = path.join(FIXTURES, 'task-load.yaml');
/** Of the broker; RQ has it on its command line. A Redis without one takes any. */
const PASSWORD = 'broker-secret-1';
/** At the edges of the load, and of workers without tasks. */
const SLACK_MS = 1000;

/**
 * `processes` in all; `ready`: what they say when they wait for tasks; `besideMs`: what a task may cost beside
 * its own CPU (RQ starts a process for each, which imports the application).
 * @type {Record<string, {command: string, processes: number, running: number, ready: RegExp, besideMs: number}>}
 */
const QUEUES = {
  celery: {
    command: '-m celery -A task_app:queue worker -c 2 -l info',
    processes: 3,
    running: 2,
    ready: / ready\./,
    besideMs: 40,
  },
  rq: {
    command: '-m rq.cli worker --url BROKER',
    processes: 1,
    running: 1,
    ready: /Listening on/,
    besideMs: 1500,
  },
  dramatiq: {
    command: '-m dramatiq task_app -p 2 -t 1',
    processes: 3,
    running: 2,
    ready: /is ready for action/,
    besideMs: 40,
  },
};

for (const [name, { command, processes, running, ready, besideMs }] of Object.entries(QUEUES)) {
  const modules = ['flask', 'redis', name];
  test(`workers of ${name} are recorded beside the API, as a group of their own`, {
    skip: needs('redis-server') || needsModules(...modules),
  }, async t => {
    const redis = await startRedis(t);
    const broker = redis.url.replace('//', `//default:${PASSWORD}@`);
    const clock = path.join(makeTempFolder(t), 'clock');
    const env = { TASK_QUEUE: name, TASK_BROKER: broker, TASK_CLOCK: clock };
    const worker = startPython(t, modules, command.replace('BROKER', broker), env);
    const { group, log } = worker;
    await waitUntil(() => {
      assert.ok(group.isAlive(), readFileSync(log, 'utf8'));
      return ready.test(readFileSync(log, 'utf8'));
    }, 'the worker');
    const server = '-m flask --app task_app run --port PORT';
    const { pid, url } = await startPythonServer(t, modules, server, 0, env);
    const rootPid = group.pid;
    const family = listServing({ rootPid, masterPid: null });
    assert.equal(family.length, processes);

    const scene = makeScene(t, { TARGET: url, DURATION: '12' });
    // Other workers may run on this machine: by name only where they are the only ones.
    const run = scene.test([SCRIPT, '--profile', '--also', `${rootPid}`]);
    assert.equal(await run.ended, 0, run.output());
    assert.match(run.output(), new RegExp(`${name} workers beside it: ${rootPid} `));
    const recorded = await scene.waitForRun();
    const { cpu, profile, taskWorkers, costs, load } = recorded.readReport();
    assert.ok(profile && costs && load && taskWorkers?.cpu);

    // The API is what it is without them.
    assert.deepEqual(
      cpu?.workers.map(one => one.pid),
      [pid],
    );
    assert.doesNotMatch(JSON.stringify(profile.hotPaths), /"bill"/);
    assert.deepEqual(taskWorkers.rootPids, [rootPid]);
    assert.equal(taskWorkers.name, name);
    assert.ok(Math.abs(taskWorkers.cpu.running - running) < 0.3, `${taskWorkers.cpu.running}`);
    const { startMs, endMs } = load.window;
    const done = readFileSync(clock, 'utf8')
      .trim()
      .split('\n')
      .map(line => line.split(' ').map(Number))
      .filter(([endedMs = 0]) => endedMs >= startMs && endedMs <= endMs);
    const taskMs = done.reduce((sum, [, cpuMs = 0]) => sum + cpuMs, 0);
    const mostMs = taskMs + done.length * besideMs + SLACK_MS;
    const { cpuMs } = taskWorkers.cpu;
    assert.ok(cpuMs >= 0.9 * taskMs - 50 && cpuMs <= mostMs, `${cpuMs} ms, ${taskMs} in tasks`);
    const task = taskWorkers.hotPaths.find(({ category }) => category === 'business');
    assert.equal(task?.entry.function, 'spin');
    assert.ok(taskWorkers.categories.some(({ id }) => id === 'task-queue'));
    // Its Redis is the broker, to which RQ listens in a thread of the Redis client's own, too.
    assert.ok(taskWorkers.categories.every(({ id }) => id !== 'database'));
    assert.deepEqual(await scene.processes.listLeft(), []);
    const files = readdirSync(recorded.files.folder, { recursive: true, withFileTypes: true });
    for (const file of files.filter(one => one.isFile())) {
      const text = readFileSync(path.join(file.parentPath, file.name), 'latin1');
      assert.ok(!text.includes(PASSWORD), `${file.name} holds the password of the broker`);
    }
  });
}
