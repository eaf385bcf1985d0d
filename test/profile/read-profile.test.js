import assert from 'node:assert/strict';
import { copyFile, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { detectFile, readProfile } from '../../lib/profile/read-profile.js';

const fixture = (/** @type {string} */ name) => join(import.meta.dirname, 'fixtures', name);
let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'loadflame-profile-'));
});
after(() => rm(folder, { recursive: true }));

for (const [name, format] of /** @type {[string, string][]} */ ([
  ['gunicorn-gthread.raw', 'raw'],
  ['py-spy-0.4.3.svg', 'flamegraph-svg'],
])) {
  test(`${name} is recognised under the name "unknown"`, async () => {
    const file = join(folder, 'unknown');
    await copyFile(fixture(name), file);
    assert.equal(await detectFile(file), format);
    const profile = await readProfile(file);
    assert.equal(profile.source, format);
    assert.equal(profile.totalWeight, (await readProfile(fixture(name))).totalWeight);
  });
}

for (const [text, format] of /** @type {[string, string][]} */ ([
  ['{"aggregate":{"counters":{"http.requests":3},"rates":{}},"intermediate":[]}', 'artillery-json'],
  ['{\n  "aggregate": {\n    "counters": {', 'artillery-json'],
  ['{"$schema":"https://www.speedscope.app/file-format-schema.json"}', 'speedscope'],
  ['[{"name":"f","ph":"B","ts":1}]', 'chrometrace'],
  ['{"a":1}', 'other-json'],
  ['[1,2,3]', 'other-json'],
  ['', 'empty'],
  ['\n\n', 'empty'],
  ['Hello, this is a letter.\nIt has 3\nlines.', 'unknown'],
  ['<html><body>404</body></html>', 'unknown'],
  ['[unknown];f (a.py:1) 5\n[unknown];g (a.py:1) 5\n', 'raw'],
])) {
  test(`${JSON.stringify(text.slice(0, 40))} is recognised as ${format}`, async () => {
    const file = join(folder, 'something.raw');
    await writeFile(file, text);
    assert.equal(await detectFile(file), format);
    if (format !== 'raw')
      await assert.rejects(readProfile(file), {
        code: 'PROFILE_FORMAT',
        message: /something\.raw/,
      });
  });
}

test('names a missing file', async () => {
  await assert.rejects(readProfile(join(folder, 'nothing.svg')), {
    code: 'PROFILE_UNREADABLE',
    message: /nothing\.svg/,
  });
});

test('a picture too big for a string is refused before it is read', async () => {
  const file = join(folder, 'big.svg');
  const handle = await open(file, 'w');
  await handle.write('<svg>');
  await handle.truncate(500 * 2 ** 20);
  await handle.close();
  await assert.rejects(readProfile(file), { code: 'PROFILE_TOO_BIG', message: /500 MB/ });
});
