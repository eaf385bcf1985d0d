/** `--live`: `loadflame watch` in a process of its own, beside the run. */
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startChild } from '../base/process/child.js';
import { isUnderWay } from '../run/active-recording.js';

/** @import { OwnedChild } from '../base/process/child.js' */

const PROGRAM = fileURLToPath(new URL('../../bin/loadflame.js', import.meta.url));
/** How long pages may take to get the final report on a busy machine. */
const LAST_WORDS_MS = 15_000;

/** @param {{say: (line: string) => void, rulesFile: string | null}} options */
export function makeLivePage({ say, rulesFile }) {
  /** @type {OwnedChild | null} */
  let child = null;
  let folder = '';
  return {
    /** @param {string} ofRun its folder */
    start(ofRun) {
      folder = ofRun;
      const rules = rulesFile ? ['--rules-file', rulesFile] : [];
      child = startChild(process.execPath, [PROGRAM, 'watch', folder, ...rules]);
      for (const stream of [child.process.stdout, child.process.stderr])
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
