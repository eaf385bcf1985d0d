import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { findFreePort } from '../../helpers/gunicorn.js';
import { callLoadflame, readError } from '../../helpers/run-loadflame.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';
import { makeRepository } from '../../helpers/two-commits.js';

test('a step that the time does not decide ends it, with what is left and how to go on', async t => {
  const { folder } = makeRepository(t);
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const server = `exec python3 -m http.server ${port} --bind 127.0.0.1`;
  const ends = ['--good', 'one', '--bad', 'two', '--command', server, '--target', url];
  const script = path.join(makeTempFolder(t), 'script.json');
  const flow = [{ get: { url: '/' } }, { think: 0.1 }];
  writeFileSync(script, JSON.stringify({ config: { target: url }, scenarios: [{ flow }] }));
  const load = ['--users', '1', '--duration', '2s', '--max', '30s', script];
  const { exit, stderr } = await callLoadflame(folder, ['bisect', ...ends, ...load]);
  assert.equal(readError(stderr).code, 'BISECT_UNDECIDED', stderr);
  assert.ok(exit !== 0);
  assert.match(stderr, /^error: \w+ two .* is not clearly worse than \w+ one .*undecided/m);
  assert.match(stderr, /hint: +1 commit left: .* `--max 30m --continue /);
});
