/** Everything that the benchmark measures, in the order of the page. */
import { LATENCY } from './latency.js';
import { PACED } from './paced.js';
import { SOCKETS } from './sockets.js';
import { THROUGHPUT } from './throughput.js';

/** @type {readonly import('../bench.d.ts').Work[]} */
export const WORKS = [...THROUGHPUT, PACED, ...LATENCY, ...SOCKETS];
