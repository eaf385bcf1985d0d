/** What a block records beside the load: process groups and probes without templates. */
import { fillTemplates } from '../study-file/fill.js';

/** @import { ProcessGroup, Study } from '../study-file.d.ts' */

/**
 * @typedef {object} FilledRecord
 * @property {import('../../session.js').SessionOptions['processes']} processes
 * @property {import('../../session.js').SessionOptions['probes']} probes
 * @property {Record<string, number | null>} componentsMost cores that a group can use; null: all
 */

/**
 * @param {Study['record']} record
 * @param {{names: Record<string, unknown>, pids: Map<string, number>, url: string}} options `pids` of services
 * @returns {FilledRecord} without groups of services that this variant has not
 */
export function fillRecord({ processes, probes }, { names, pids, url }) {
  const groups = fillTemplates(processes, names, { at: 'record.processes' }).filter(
    ({ service }) => service === null || pids.has(service),
  );
  return {
    processes: groups.map(group => ({
      name: group.name,
      members: group.members,
      selector: toSelector(group, pids),
    })),
    probes: fillTemplates(probes, names, { at: 'record.probes' }).map(probe => ({
      ...probe,
      url: probe.url === null ? null : new URL(probe.url, url).href,
    })),
    componentsMost: Object.fromEntries(
      groups.map(({ name, cores }) => [name, cores === null ? null : Number(cores)]),
    ),
  };
}

/** @param {ProcessGroup} group @param {Map<string, number>} pids */
function toSelector({ service, pidFile, port, commandLine, cgroup }, pids) {
  if (service !== null) return { pid: pids.get(service) ?? 0 };
  if (pidFile !== null) return { pidFile };
  if (port !== null) return { port: Number(port) };
  if (commandLine !== null) return { commandLine };
  return { cgroup: String(cgroup) };
}
