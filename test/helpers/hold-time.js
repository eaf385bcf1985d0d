/** Time that a test itself lets pass: what it proves of times holds on a busy machine, too. */
import { syncBuiltinESMExports } from 'node:module';
import { setImmediate as turn } from 'node:timers/promises';

/**
 * Stops the clocks and the timers of this process, those of `node:timers/promises` included, until the test ends.
 * @param {import('node:test').TestContext} t @param {number} [now] epoch ms
 */
export function holdTime(t, now = 1_700_000_000_000) {
  // What another test has left sees no earlier time than before.
  const startMs = performance.now();
  let blockedUntilMs = 0;
  const readMs = () => Math.max(startMs + Date.now() - now, blockedUntilMs);
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'], now });
  const clock = t.mock.method(performance, 'now', readMs);
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.timers.reset();
    clock.mock.restore();
    syncBuiltinESMExports();
  });
  return {
    /**
     * Lets ms pass. @param {number} ms
     * @param {() => unknown} [look] called after each of them, once all that follows from it in this process is done
     */
    async pass(ms, look = () => {}) {
      for (let at = 0; at < ms; at++) {
        t.mock.timers.tick(1);
        await turn();
        look();
      }
    },
    /** Stands still, as a long task does: timers that are due meanwhile are late. @param {number} ms */
    block(ms) {
      blockedUntilMs = readMs() + ms;
    },
  };
}
