import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { loadRules } from '../../../lib/analysis/hotpath/load-rules.js';
import { parseYaml } from '../../../lib/base/files/read-yaml.js';
import { readScenarioBlock } from '../../../lib/experiment/preflight/scenario-block.js';
import { readStudy } from '../../../lib/experiment/study/study-file/read-study.js';
import { readThresholds } from '../../../lib/experiment/thresholds/read-thresholds.js';
import { readScript } from '../../../lib/load/script/read-script.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

/** @param {string} text */
const parse = text => parseYaml(text, 'x.yaml', { code: 'SCRIPT_SYNTAX' });

const LEVELS = Array.from({ length: 30 }, (_, index) => {
  const below = index === 0 ? 'x' : `*a${index - 1}`;
  return `a${index}: &a${index} [${Array(10).fill(below).join(', ')}]`;
});

/** Files that end in a stack where a reader trusts them. @type {[string, string][]} */
const ATTACKS = [
  ['aliases that stand for more and more', LEVELS.join('\n')],
  ['an alias that holds itself', 'a: &a { b: *a }'],
  ['depth without end', `a: ${'['.repeat(50_000)}`],
  [
    'a long text that aliases repeat',
    `a: &a ${'x'.repeat(500_000)}\nb: [${Array(900).fill('*a').join(', ')}]`,
  ],
  ['very many aliases', `a: &a 1\nb: [${Array(9000).fill('*a').join(', ')}]`],
  ['a prototype', '__proto__: { polluted: 1 }'],
];

/** Whatever reads YAML → the error of a file that cannot be read. @type {[string, (file: string) => unknown, string][]} */
const READERS = [
  ['a script', file => readScript(file), 'SCRIPT_SYNTAX'],
  ['what a script declares', file => readScenarioBlock(file), 'SCRIPT_SYNTAX'],
  ['thresholds', file => readThresholds(file, { rulesFile: null }), 'THRESHOLDS_INVALID'],
  ['rules', file => loadRules(file), 'RULES_INVALID'],
  ['a study', file => readStudy(file), 'STUDY_SYNTAX'],
];

/** A text of gigabytes takes longer. */
const MOST_CPU_US = 3e6;

for (const [attack, text] of ATTACKS) {
  for (const [what, read, code] of READERS) {
    test(`${what} with ${attack}: a named error, fast`, async t => {
      const file = path.join(makeTempFolder(t), 'file.yaml');
      writeFileSync(file, text);
      const before = process.cpuUsage();
      await assert.rejects(async () => read(file), { code });
      const { user, system } = process.cpuUsage(before);
      assert.ok(user + system < MOST_CPU_US, `${(user + system) / 1e6} s`);
      assert.equal(/** @type {any} */ ({}).polluted, undefined);
    });
  }
}

test('a template without quotes is read as if it had them', () => {
  assert.deepEqual(parse('a: {{ x }}\nb: [{{ $env.Y }}]').data, {
    a: '{{ x }}',
    b: ['{{ $env.Y }}'],
  });
});

test('aliases and merge keys that a person writes are copied', () => {
  const { data } = parse('a: &a { x: 1 }\nb: *a\nc: { <<: *a, y: 2 }');
  assert.deepEqual(data, { a: { x: 1 }, b: { x: 1 }, c: { x: 1, y: 2 } });
  assert.notEqual(data.a, data.b);
});

test('a value is found with its line and column, and so is the nearest thing around it', () => {
  const { locate } = parse('a:\n  b: [1, 2]\n');
  assert.equal(locate(['a', 'b', 1]).at, 'x.yaml:2:10');
  assert.equal(locate(['a', 'b']).at, 'x.yaml:2:3');
  assert.deepEqual(locate(['a', 'c']), { at: 'x.yaml:1:1', line: 1, isExact: false });
});
