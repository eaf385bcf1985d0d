/** Every load generator that the benchmark knows. */
import { artillery } from './artillery.js';
import { autocannon } from './autocannon.js';
import { floor } from './floor.js';
import { loadflame, loadflameArtillery, loadflameUsers, loadflameWorkers } from './loadflame.js';
import { locust } from './locust.js';
import { wrk } from './wrk.js';

/** @type {readonly import('../bench.d.ts').Tool[]} */
export const TOOLS = [
  loadflame,
  loadflameUsers,
  ...loadflameWorkers,
  artillery,
  loadflameArtillery,
  locust,
  autocannon,
  wrk,
  floor,
];
