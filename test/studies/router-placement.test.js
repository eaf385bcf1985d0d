/** The bars of the router study: its threads are on the cores that a variant says, and the rest is not. */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { runCommand } from '../../lib/experiment/server/run-command.js';
import { listVariants } from '../../lib/experiment/study/analysis/matrix.js';
import { allocatePorts } from '../../lib/experiment/study/services/allocate-ports.js';
import { makeEnvironment } from '../../lib/experiment/study/services/service-environment.js';
import { startServices } from '../../lib/experiment/study/services/start-services.js';
import { readStudy } from '../../lib/experiment/study/study-file/read-study.js';
import { listPorts, makeVariables } from '../../lib/experiment/study/study-file/variables.js';
import { needs } from '../helpers/needs.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

const STUDY = path.resolve(import.meta.dirname, '../../studies/ingress.yaml');
const CPUS = availableParallelism();
const skip = needs('haproxy', 'nginx', 'openssl', 'taskset') || (CPUS < 2 && 'needs two cores');

/** @type {{threads: string, placement: string, services: string[], router: string[], rest?: string}[]} */
const PLACES = [
  {
    ...{ threads: '1', placement: 'core 0', services: ['application', 'haproxy'] },
    router: ['0'],
    rest: CPUS === 2 ? '1' : `1-${CPUS - 1}`,
  },
  { threads: '1', placement: 'core 1', services: ['haproxy'], router: ['1'] },
  { threads: '2', placement: 'own cores', services: ['haproxy'], router: ['0', '1'] },
];

for (const { threads, placement, services, router, rest } of PLACES)
  test(`HAProxy with ${threads === '1' ? '1 thread' : `${threads} threads`} is on ${placement}`, {
    skip,
  }, async t => {
    const study = readStudy(STUDY);
    const variant = listVariants(study).find(
      ({ factors }) => factors.threads === threads && factors.placement === placement,
    );
    assert.ok(variant);
    const folder = makeTempFolder(t);
    chmodSync(folder, 0o711);
    const work = path.join(folder, 'work');
    mkdirSync(work, { mode: 0o700 });
    const cwd = path.dirname(STUDY);
    const ports = await allocatePorts(listPorts(study));
    const variables = { ...makeVariables(study, variant, { seed: 1, ports, work }) };
    const { signal } = new AbortController();
    const env = makeEnvironment(variables, cwd);
    await runCommand(
      study.setup ?? '',
      { cwd, env, log: path.join(folder, 'setup.log') },
      { owner: 'setup', signal },
    );
    const running = await startServices(
      study.services.filter(({ name }) => services.includes(name)),
      { variables, cwd, live: `${work}-live`, logs: `${work}-logs`, signal },
    );
    t.after(running.stop);
    assert.deepEqual(listAllowed(running.pids.get('haproxy')), router);
    if (rest) assert.deepEqual(listAllowed(running.pids.get('application')), [rest]);
  });

/** The cores that each thread of a process may use. @param {number | undefined} pid */
function listAllowed(pid) {
  const tasks = readdirSync(`/proc/${pid}/task`);
  return tasks.map(task => {
    const status = readFileSync(`/proc/${pid}/task/${task}/status`, 'utf8');
    return /Cpus_allowed_list:\s*(\S+)/.exec(status)?.[1] ?? '';
  });
}
