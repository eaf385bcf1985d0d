import { listProcesses, readCommandLine } from '../process-table.js';
import { parseGunicornCommand } from './gunicorn-command.js';
import { climbToMaster, isPython } from './process-family.js';

/** All gunicorn masters that can be seen on this machine. @returns {number[]} */
export function listMasters() {
  return listProcesses()
    .filter(({ pid, state }) => {
      if (state === 'Z') return false;
      const command = parseGunicornCommand(readCommandLine(pid) ?? []);
      if (!command || command.title === 'worker' || command.title === 'other') return false;
      return isPython(pid) && climbToMaster(pid) === pid;
    })
    .map(({ pid }) => pid);
}
