import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { joinThreads } from '../../../lib/analysis/stacks/node-table.js';
import { parseSvg } from '../../../lib/analysis/stacks/parse-svg.js';
import { ProfileBuilder } from '../../../lib/analysis/stacks/profile-builder.js';
import { readProfile } from '../../../lib/analysis/stacks/read-profile.js';
import { formatRaw } from '../../../lib/analysis/stacks/write-raw.js';
import { renderSvg } from '../../../lib/analysis/stacks/write-svg.js';
import { parseRaw } from '../../helpers/parse-raw.js';

const fixture = (/** @type {string} */ name) => join(import.meta.dirname, 'fixtures', name);
const about = { file: 'x.svg' };
const REFERENCE = join(
  import.meta.dirname,
  '../../../../shared/reference/queue-management-2020.svg',
);

test('a flamegraph of py-spy 0.4.3 gives back its stacks', async () => {
  const profile = parseSvg(await readFile(fixture('py-spy-0.4.3.svg'), 'utf8'), about);
  assert.equal(profile.totalWeight, 108);
  const lines = [...formatRaw(profile)].sort();
  assert.match(lines[0] ?? '', /^process \d+:"";<module> \(t\.py:4\);f \(t\.py:3\) 49\n$/);
  assert.match(lines[1] ?? '', /;Thread\.run \(threading\.py:982\);f \(t\.py:3\) 59\n$/);
});

test('the flamegraph of 2020, in percent and without sample positions, is read to the last sample', {
  skip: existsSync(REFERENCE) ? false : 'the reference flamegraph is not here',
}, async () => {
  const profile = parseSvg(await readFile(REFERENCE, 'utf8'), about);
  assert.equal(profile.totalWeight, 6496);
  assert.deepEqual(
    profile.processes.map(({ pid, parent }) => [pid, parent]),
    [
      [37055, -1],
      [37059, 0],
      [43069, 1],
    ],
  );
  assert.ok(
    [...formatRaw(profile)].some(line =>
      line.endsWith('_build_ssl_context (httplib2/__init__.py:214) 1196\n'),
    ),
  );
});

test('what we draw is read back with the same samples', async () => {
  const profile = await readProfile(fixture('gunicorn-sync.raw'));
  const again = parseSvg(renderSvg(profile), about);
  assert.equal(again.totalWeight, profile.totalWeight);
  const heaviest = (/** @type {any} */ of) =>
    [...formatRaw(joinThreads(of))].sort(
      (a, b) => Number(b.match(/\d+$/m)) - Number(a.match(/\d+$/m)),
    )[0];
  assert.equal(heaviest(again), heaviest(profile));
});

test('a frame name with markup is text in the picture', () => {
  const name = '</title><img src=x onerror="alert(1)"> & \'quotes\'; \n';
  const builder = new ProfileBuilder();
  builder.addRow(builder.internNode(-1, builder.internFrame({ name, file: 'a.py', line: 1 })), 5);
  const svg = renderSvg(builder.build({ source: 'raw' }), {
    title: '<script>',
    colorOf: () => '"><script>',
  });
  assert.doesNotMatch(svg, /<img|<script/);
  assert.deepEqual(parseSvg(svg, about).frames, [{ name, file: 'a.py', line: 1 }]);
});

test('narrow boxes are left out and their samples stay with the caller', () => {
  const profile = parseRaw('f (a.py:1);g (a.py:2) 99999\nf (a.py:1);tiny (a.py:3) 1\n');
  const svg = renderSvg(profile);
  assert.doesNotMatch(svg, /tiny/);
  assert.equal(parseSvg(svg, about).totalWeight, 100000);
});

test('a graph that grows upwards is read as well', () => {
  const box = (
    /** @type {string} */ name,
    /** @type {number} */ n,
    /** @type {number} */ x,
    /** @type {number} */ y,
  ) =>
    `<g><title>${name} (${n} samples, 1.0%)</title><rect x="${x}" y="${y}" width="${n}" height="15"/></g>`;
  const svg = `<svg>${box('all', 10, 0, 100)}${box('f (a.py:1)', 10, 0, 84)}${box('g (a.py:2)', 4, 0, 68)}${box('h (a.py:3)', 5, 5, 68)}</svg>`;
  assert.deepEqual(
    [...formatRaw(parseSvg(svg, about))],
    ['f (a.py:1) 1\n', 'f (a.py:1);g (a.py:2) 4\n', 'f (a.py:1);h (a.py:3) 5\n'],
  );
});

for (const [what, svg] of [
  ['no frames', '<svg><text>hello</text></svg>'],
  ['a box without a place', '<svg><title>f (5 samples, 1%)</title><rect y="3"/></svg>'],
  ['no end', '<svg><title>f (5 samples, 1%)</title><rect x="0" width="5" y="1"/><title>g (5 sam'],
  ['bytes', '<svg><title>f (5 bytes, 1%)</title><rect x="0" width="5" y="1"/></svg>'],
  [
    'a box that stands on nothing',
    '<svg><title>f (5 samples, 1%)</title><rect x="0" width="5" y="1"/><title>g (5 samples, 1%)</title><rect x="9" width="2" y="9"/></svg>',
  ],
]) {
  test(`a picture with ${what} is refused by name`, () => {
    assert.throws(() => parseSvg(/** @type {string} */ (svg), about), {
      code: 'PROFILE_BROKEN',
      message: /x\.svg/,
    });
  });
}

test('a differential flamegraph is read as its newer profile, which is said', () => {
  const box = (/** @type {string} */ title, /** @type {string} */ rest) =>
    `<g><title>${title}</title><rect ${rest} height="15"/></g>`;
  const profile = parseSvg(
    `<svg>${box('all (10 samples, 100%)', 'x="0" width="10" y="0"')}${box('f (a.py:1) (7 samples, 70.00%; +3.10%)', 'x="0" width="7" y="16"')}${box('g (a.py:2) (3 samples, 30.00%; -1.60)', 'x="7" width="3" y="16"')}</svg>`,
    about,
  );
  assert.deepEqual([...formatRaw(profile)], ['f (a.py:1) 7\n', 'g (a.py:2) 3\n']);
  assert.deepEqual([profile.isDifference, profile.skipped], [true, 0]);
});

test('a box without a number of samples is counted', () => {
  const svg =
    '<svg><title>f (a.py:1) (7 samples, 70%)</title><rect x="0" width="7" y="16"/><title>g took 3 ms</title><rect x="0" width="3" y="32"/></svg>';
  const { skipped, entries, firstSkipped } = parseSvg(svg, about);
  assert.deepEqual([skipped, entries, firstSkipped], [1, 2, 'g took 3 ms']);
});
