/** A disk that is full, as a run meets it. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmdirSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/**
 * A disk of its own, of 4 MB; null where mounting is not allowed.
 * @param {import('node:test').TestContext} t
 */
export function mountDisk(t) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'loadflame-test-disk-'));
  t.after(() => {
    spawnSync('umount', [folder]);
    rmdirSync(folder);
  });
  const mount = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', folder]);
  return mount.status === 0 ? folder : null;
}

/** Leaves not one byte. @param {string} file */
export function fillDisk(file) {
  for (let size = 1 << 20; size >= 1; size = size > 1 ? size >> 1 : 0) {
    try {
      for (;;) appendFileSync(file, Buffer.alloc(size));
    } catch (error) {
      assert.equal(/** @type {NodeJS.ErrnoException} */ (error).code, 'ENOSPC');
    }
  }
}
