import { readdirSync, readFileSync } from 'node:fs';

/** CPU time of all threads of a process and of its children, by the scheduler. @param {number} pid @returns {number} */
export function readCpuMs(pid) {
  let ns = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const folder = `/proc/${pid}/task/${thread}`;
    ns += Number(readFileSync(`${folder}/schedstat`, 'utf8').split(' ')[0]);
    const children = readFileSync(`${folder}/children`, 'utf8').trim();
    for (const child of children ? children.split(' ') : []) ns += 1e6 * readCpuMs(Number(child));
  }
  return ns / 1e6;
}
