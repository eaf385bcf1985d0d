import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after } from 'node:test';

/**
 * A folder that is gone when the test is over.
 * @param {{after: (remove: () => void) => void}} t
 */
export function makeTempFolder(t) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'loadflame-test-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** What a file's hooks use as a test uses its own context: called at the top level, it ends with the file. */
export function endWithFile() {
  /** @type {(() => unknown)[]} */
  const ends = [];
  after(async () => {
    for (const end of ends) await end();
  });
  return { after: (/** @type {() => unknown} */ end) => void ends.push(end) };
}
