import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { replaceFile } from '../../../lib/base/files/replace-file.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

test('writes a file whole, replaces the earlier one, and leaves nothing else behind', t => {
  const folder = makeTempFolder(t);
  const file = path.join(folder, 'run', 'report.json');
  replaceFile(file, 'a longer first text');
  replaceFile(file, ['in ', 'pieces']);
  assert.equal(readFileSync(file, 'utf8'), 'in pieces');
  assert.deepEqual(readdirSync(path.dirname(file)), ['report.json']);
});

test('names the file and the reason if it cannot be written', t => {
  const blocked = path.join(makeTempFolder(t), 'blocked');
  writeFileSync(blocked, 'a file where a folder should be');
  assert.throws(() => replaceFile(path.join(blocked, 'report.json'), 'text'), {
    code: 'REPORT_UNWRITABLE',
    exitCode: 3,
    message: /cannot write .*blocked.*report\.json \((ENOTDIR|EEXIST)\)/,
  });
});
