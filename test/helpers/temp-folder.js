import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/**
 * A folder that is gone when the test is over.
 * @param {{after: (remove: () => void) => void}} t
 */
export function makeTempFolder(t) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'loadflame-test-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
