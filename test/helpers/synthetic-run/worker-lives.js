/** Which process a worker is at a time: one that ended has a successor. */

/** @typedef {import('./defaults.js').CompleteSpec} CompleteSpec */

export const MASTER_PID = 4200;
/** 8 hex digits that the companion makes of host name and master. */
export const INSTANCE = 'a1b2c3d4';

/** @typedef {{worker: number, pid: number, fromMs: number, toMs: number}} Life */

/** @param {CompleteSpec} spec @param {number} endMs @returns {Life[]} */
export function listLives({ workers, restarts, startMs }, endMs) {
  /** @type {Life[]} */
  const lives = [];
  let pid = MASTER_PID + 1 + workers;
  for (let worker = 0; worker < workers; worker++) {
    const ends = restarts
      .filter(restart => restart.worker === worker)
      .map(({ atSec }) => startMs + atSec * 1000)
      .sort((a, b) => a - b);
    const edges = [-Infinity, ...ends, Infinity];
    for (const [i, fromMs] of edges.slice(0, -1).entries()) {
      const toMs = edges[i + 1] ?? endMs;
      lives.push({ worker, pid: i === 0 ? MASTER_PID + 1 + worker : pid++, fromMs, toMs });
    }
  }
  return lives;
}

/** @param {Life[]} lives @param {number} worker @param {number} atMs */
export function pidAt(lives, worker, atMs) {
  const life = lives.find(
    ({ worker: w, fromMs, toMs }) => w === worker && atMs >= fromMs && atMs < toMs,
  );
  return life?.pid ?? -1;
}
