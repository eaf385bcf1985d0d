import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { parseSpeedscope } from '../../lib/profile/parse-speedscope.js';
import { readRaw } from '../../lib/profile/read-raw.js';
import { formatRaw } from '../../lib/profile/write-raw.js';
import { formatSpeedscope } from '../../lib/profile/write-speedscope.js';
import { parseRaw } from '../helpers/parse-raw.js';

const fixture = (/** @type {string} */ name) => join(import.meta.dirname, 'fixtures', name);
const about = { file: 'x.json' };
const sorted = (/** @type {any} */ profile) => [...formatRaw(profile)].sort();

async function validator() {
  const entry = createRequire(import.meta.url).resolve('speedscope/package.json');
  const schema = await readFile(
    join(dirname(entry), 'dist/release/file-format-schema.json'),
    'utf8',
  );
  return new Ajv({ strict: false }).compile(JSON.parse(schema));
}

test('what is written is valid by the schema of speedscope and reads back as the same stacks', async () => {
  const validate = await validator();
  for (const name of ['gunicorn-gthread.raw', 'gunicorn-sync.raw']) {
    const profile = await readRaw(fixture(name));
    const json = JSON.parse([...formatSpeedscope(profile)].join(''));
    assert.ok(validate(json), JSON.stringify(validate.errors));
    const again = parseSpeedscope(json, about);
    assert.equal(again.totalWeight, profile.totalWeight);
    // a flat file can't tell who is whose parent
    const flat = sorted(profile).map(line => line.replace(/^process \d+:".*?";(?=process )/, ''));
    assert.deepEqual(sorted(again), flat.sort());
  }
});

test('a rate makes seconds of counts, and counts again of seconds', () => {
  const profile = { ...parseRaw('f (a.py:1) 3\nf (a.py:1);g (a.py:2) 1\n'), rateHz: 50 };
  const json = JSON.parse([...formatSpeedscope(profile)].join(''));
  assert.equal(json.profiles[0].unit, 'seconds');
  const again = parseSpeedscope(json, about);
  assert.equal(again.totalWeight, 4);
  assert.equal(again.rateHz, 50);
  assert.equal(again.exactCounts, true);
});

test('a file of py-spy tells process and thread, which are no frames', async () => {
  const json = JSON.parse(await readFile(fixture('py-spy-0.4.3.speedscope.json'), 'utf8'));
  const profile = parseSpeedscope(json, about);
  assert.equal(profile.totalWeight, 103);
  assert.equal(profile.rateHz, 100);
  assert.equal(profile.processes.length, 1);
  assert.deepEqual(
    profile.threads.map(({ name }) => name),
    ['MainThread', 'Thread-1 (f)'],
  );
  assert.deepEqual(
    sorted(profile).map(line => /([^;]*)$/.exec(line.trim())?.[1]),
    ['f (/srv/app/t.py:3) 47', 'f (/srv/app/t.py:3) 56'],
  );
});

test('durations of an evented profile become nominal samples', () => {
  const profile = parseSpeedscope(
    {
      shared: { frames: [{ name: 'a' }, { name: 'b' }] },
      profiles: [
        {
          type: 'evented',
          unit: 'milliseconds',
          startValue: 0,
          endValue: 100,
          events: [
            { type: 'O', frame: 0, at: 0 },
            { type: 'O', frame: 1, at: 33 },
            { type: 'C', frame: 1, at: 80 },
            { type: 'C', frame: 0, at: 100 },
          ],
        },
      ],
    },
    about,
  );
  assert.equal(profile.exactCounts, false);
  assert.ok(Math.abs(profile.totalWeight - 10) < 1e-9, '100 ms at 100 Hz');
  assert.ok(
    Math.abs((profile.rows.weight[1] ?? 0) - 4.7) < 1e-9 ||
      Math.abs((profile.rows.weight[0] ?? 0) - 5.3) < 1e-9,
  );
});

const shared = { frames: [{ name: 'a' }] };
for (const [what, json] of /** @type {[string, unknown][]} */ ([
  ['no frames', { profiles: [] }],
  ['no profiles', { shared }],
  ['a frame without name', { shared: { frames: [{}] }, profiles: [] }],
  [
    'a frame that is not there',
    { shared, profiles: [{ type: 'sampled', unit: 'none', samples: [[1]], weights: [1] }] },
  ],
  ...[Number.POSITIVE_INFINITY, {}].map(frame => [
    `a frame that is ${typeof frame}`,
    { shared, profiles: [{ type: 'sampled', unit: 'none', samples: [[frame]], weights: [1] }] },
  ]),
  [
    'fewer weights than samples',
    { shared, profiles: [{ type: 'sampled', unit: 'none', samples: [[0]], weights: [] }] },
  ],
  ['a type nobody knows', { shared, profiles: [{ type: 'odd' }] }],
  [
    'time that goes back',
    {
      shared,
      profiles: [
        { type: 'evented', unit: 'none', startValue: 5, events: [{ type: 'O', frame: 0, at: 1 }] },
      ],
    },
  ],
  [
    'a close without open',
    {
      shared,
      profiles: [
        { type: 'evented', unit: 'none', startValue: 0, events: [{ type: 'C', frame: 0, at: 1 }] },
      ],
    },
  ],
])) {
  test(`a speedscope file with ${what} is refused by name`, () => {
    assert.throws(() => parseSpeedscope(json, about), {
      code: 'PROFILE_BROKEN',
      message: /x\.json(?!.*(?:Infinity|object Object))/,
    });
  });
}
