/** CPU quotas of the cgroups that the processes of a run are in, and how often they ran out. */
import { findCpuCgroups, readQuota, readThrottling } from '../../cgroups.js';

/**
 * Whose quota it is; loadflame itself and py-spy send and serve nothing. A group of processes has its name.
 * @type {Record<string, string | null>}
 */
const ROLES = {
  master: 'target',
  worker: 'target',
  generator: 'generator',
  loadflame: null,
  'py-spy': null,
};

/**
 * @param {{root?: string}} [options] where `/proc` and the cgroups are
 */
export function createThrottlingWatch({ root = '/' } = {}) {
  /** @type {Map<number, import('../../cgroups.js').CpuCgroup[]>} looked up once per process */
  const byPid = new Map();
  return {
    /**
     * One entry per cgroup with a quota, now.
     * @param {{pid: number, role: string}[]} processes
     * @returns {{roles: string[], path: string, quotaCores: number, periods: number, throttled: number, throttledMs: number}[]}
     */
    sample(processes) {
      /** @type {Map<string, {cgroup: import('../../cgroups.js').CpuCgroup, roles: Set<string>}>} */
      const found = new Map();
      for (const { pid, role } of processes) {
        const whose = ROLES[role] === undefined ? role : ROLES[role];
        if (whose === null) continue;
        const cgroups = byPid.get(pid) ?? findCpuCgroups(pid, root);
        byPid.set(pid, cgroups);
        for (const cgroup of cgroups) {
          const entry = found.get(cgroup.folder) ?? { cgroup, roles: new Set() };
          entry.roles.add(whose);
          found.set(cgroup.folder, entry);
        }
      }
      return [...found.values()].flatMap(({ cgroup, roles }) => {
        const quotaCores = readQuota(cgroup);
        const throttling = quotaCores === null ? null : readThrottling(cgroup);
        if (quotaCores === null || !throttling) return [];
        return { roles: [...roles].sort(), path: cgroup.folder, quotaCores, ...throttling };
      });
    },
  };
}
