import path from 'node:path';

const PROGRAM = path.join(import.meta.dirname, 'bare-loop.js');
const SHAPES = new Set(['closed', 'users-of-10', 'users-of-1', 'rate']);

/** @type {import('../bench.d.ts').Tool} a bare loop over Node's own sockets: what no engine in Node can go below */
export const floor = {
  name: 'floor',
  find: () => ({ version: `Node ${process.versions.node}` }),
  command(job) {
    if (!SHAPES.has(job.shape)) return null;
    return { file: process.execPath, args: [PROGRAM, JSON.stringify(job)] };
  },
  readLatency: (_job, output) => JSON.parse(output),
};
