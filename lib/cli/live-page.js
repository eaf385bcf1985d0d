/** `--live`: `loadflame watch` in a process of its own, beside the run. */
import { EventEmitter } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startChild } from '../base/process/child.js';
import { isUnderWay } from '../run/active-recording.js';

/** @import { Steering } from '../load/load.d.ts' */
/** @import { TurnRequest } from '../run/facts/steering.d.ts' */
/** @import { OwnedChild } from '../base/process/child.js' */

const PROGRAM = fileURLToPath(new URL('../../bin/loadflame.js', import.meta.url));
/** How long pages may take to get the final report on a busy machine. */
const LAST_WORDS_MS = 15_000;

/** @param {{say: (line: string) => void, rulesFile: string | null}} options */
export function makeLivePage({ say, rulesFile }) {
  /** @type {OwnedChild | null} */
  let child = null;
  let folder = '';
  /** @type {Steering} */
  const steering = new EventEmitter();
  return {
    /** of the load that the page may change */
    steering,
    /** @param {string} ofRun its folder */
    start(ofRun) {
      folder = ofRun;
      const rules = rulesFile ? ['--rules-file', rulesFile] : [];
      child = startChild(process.execPath, [PROGRAM, 'watch', folder, ...rules], { ipc: true });
      const page = child.process;
      page.on('message', turn => steering.emit('turn', /** @type {TurnRequest} */ (turn)));
      steering.on('control', control => page.connected && page.send(control, () => {}));
      for (const stream of [page.stdout, page.stderr])
        if (stream) createInterface({ input: stream }).on('line', say);
    },
    /** Called after the report is written, or if there is none. A recording may continue without us. */
    async stop() {
      if (!child) return;
      const patience = sleep(LAST_WORDS_MS, null, { ref: false });
      if (!isUnderWay(folder)) await Promise.race([child.ended, patience]);
      await child.stop();
    },
  };
}
