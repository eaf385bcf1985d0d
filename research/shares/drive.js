/** A closed loop on loopback: so many users, each sends its next request when it has its answer. */
import { Agent } from 'node:http';
import { ask } from '../closed-loop.js';

/** After an error a user waits so long: a target that is gone is not asked a thousand times a second. */
const PAUSE_MS = 50;
const AWAKE = () => {};

/**
 * @param {readonly string[]} urls asked in turn
 * @param {{users: number, headers?: Record<string, string>, maxPerSec?: number}} options `maxPerSec`: of
 *   all users together
 * @returns {{stop: () => Promise<void>, pause: () => void, resume: () => void, failures: () => number}}
 */
export function startLoad(urls, { users, headers = {}, maxPerSec = Infinity }) {
  const agent = new Agent({ keepAlive: true, maxSockets: users });
  let isOver = false;
  let [failures, turn] = [0, 0];
  let resting = Promise.resolve();
  let wake = AWAKE;
  const leastMs = (1000 * users) / maxPerSec;
  const runUser = async () => {
    while (!isOver) {
      await resting;
      const began = performance.now();
      const url = urls[turn++ % urls.length] ?? '';
      const isGood = (await ask({ url, headers }, agent)) === '200';
      if (!isGood && !isOver) failures++;
      const pauseMs = isGood ? leastMs - (performance.now() - began) : PAUSE_MS;
      if (pauseMs > 0) await new Promise(resolve => setTimeout(resolve, pauseMs));
    }
  };
  const running = Array.from({ length: users }, runUser);
  return {
    failures: () => failures,
    pause() {
      if (wake !== AWAKE) return;
      resting = new Promise(resolve => {
        wake = resolve;
      });
    },
    resume() {
      wake();
      wake = AWAKE;
    },
    async stop() {
      isOver = true;
      wake();
      await Promise.all(running);
      agent.destroy();
    },
  };
}
