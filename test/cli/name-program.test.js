import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { createNamer } from '../../lib/cli/io.js';
import { callLoadflame } from '../helpers/run-loadflame.js';
import { makeRun, writeRun } from '../helpers/synthetic-run/index.js';
import { withoutStacks } from '../helpers/synthetic-run/without-stacks.js';
import { contentStudy } from '../helpers/synthetic-study/examples.js';
import { makeStudy, writeStudy } from '../helpers/synthetic-study/index.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

/** What npm sets. @type {Record<string, Record<string, string>>} */
const CALLERS = {
  clone: { npm_lifecycle_event: 'report', npm_package_name: 'loadflame' },
  npx: { npm_command: 'exec', npm_lifecycle_event: 'npx' },
  package: { npm_lifecycle_event: 'report', npm_package_name: 'shop' },
};

/** @type {[caller: string, text: string, named: string][]} */
const TABLE = [
  ['none', 'run `loadflame doctor`', 'run `loadflame doctor`'],
  ['clone', 'run `loadflame doctor`', 'run `npm run loadflame -- doctor`'],
  ['npx', 'run `loadflame doctor`', 'run `npx loadflame doctor`'],
  ['package', 'type: npx loadflame test x.yaml', 'type: npx loadflame test x.yaml'],
  ['clone', 'type: npx loadflame test x.yaml', 'type: npm run loadflame -- test x.yaml'],
  ['clone', 'loadflame tests an API', 'loadflame tests an API'],
  ['clone', 'bin/loadflame report', 'bin/loadflame report'],
];
for (const [caller, text, named] of TABLE)
  test(`run by ${caller}: "${text}" reads "${named}"`, () => {
    assert.equal(createNamer({ env: CALLERS[caller] ?? {} })(text), named);
  });

test('a report names the command as it was run: in the terminal, in Markdown and in its page', async t => {
  const folder = makeTempFolder(t);
  const endpoints = [{ name: 'GET /a', ratePerSec: 20, cpuMs: { business: 2 } }];
  const run = withoutStacks(makeRun({ id: 'run', durationSec: 12, endpoints }));
  writeRun(path.join(folder, 'run'), run);
  const args = ['report', 'run', '--markdown', 'summary.md'];
  const { exit, stdout, stderr } = await callLoadflame(folder, args, CALLERS.clone);
  assert.equal(exit, 0, stderr);
  const read = (/** @type {string} */ file) => readFileSync(path.join(folder, file), 'utf8');
  const page = read('run/report.html');
  for (const text of [stdout, page]) assert.match(text, /npm run loadflame -- doctor/);
  for (const text of [stdout, page, read('summary.md')])
    assert.doesNotMatch(text, /`loadflame (doctor|test|report)/);
  for (const [, script = ''] of page.matchAll(/<script(?: type="module")?>(.*?)<\/script>/gs)) {
    const hash = createHash('sha256').update(script).digest('base64');
    assert.ok(page.includes(`'sha256-${hash}'`), 'the policy of the page allows its scripts');
  }
});

test('the pages and summaries of a study and of a comparison name the command as it was run', async t => {
  const folder = makeTempFolder(t);
  const file = (/** @type {string} */ name) => path.join(folder, name);
  const question = 'Does `loadflame test` scale?';
  const { study } = contentStudy;
  const asked = { ...contentStudy, study: { ...study, question, title: question } };
  writeStudy(file('asked'), makeStudy(asked));
  for (const id of ['A', 'B']) writeRun(file(id), makeRun({ id, durationSec: 12 }));
  for (const args of [
    ['study', 'report', 'asked'],
    ['compare', 'A', '--labels', 'loadflame test one,two', '--', 'B'],
  ]) {
    const { exit, stdout, stderr } = await callLoadflame(folder, args, CALLERS.clone);
    assert.equal(exit, 0, stderr);
    const [, page = ''] = /^(?:report|comparison): (.*)$/m.exec(stdout) ?? [];
    const summary = page.replace('.html', '.md');
    for (const written of [page, summary].map(file).filter(existsSync)) {
      const text = readFileSync(written, 'utf8');
      assert.match(text, /npm run loadflame -- test/, written);
      assert.doesNotMatch(text, /(?<!npm run |run )loadflame test/, written);
    }
  }
});
