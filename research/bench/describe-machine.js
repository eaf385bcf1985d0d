import os from 'node:os';

/**
 * One line on where and with what figures were taken.
 * @param {Record<string, string>} versions name → version
 * @param {Date} [now]
 */
export function describeMachine(versions, now = new Date()) {
  const cpus = os.cpus();
  const model = cpus[0]?.model.trim() ?? 'unknown processor';
  const memoryGb = Math.round(os.totalmem() / 2 ** 30);
  const machine = `${cpus.length} × ${model}, ${memoryGb} GB, ${os.type()} ${os.release()}`;
  const all = { Node: process.versions.node, ...versions };
  const list = Object.entries(all).map(([name, version]) => `${name} ${version}`);
  return `${now.toISOString().slice(0, 10)}, ${machine}; ${list.join(', ')}.`;
}
