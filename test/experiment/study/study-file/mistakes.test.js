import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { complaintAbout, SMALL } from './write-study.js';

/**
 * @type {{title: string, add?: string, replace?: string, by?: string, place: string, says: string,
 *   hint: string}[]}
 */
const MISTAKES = parse(readFileSync(path.join(import.meta.dirname, 'mistakes.yaml'), 'utf8'));

for (const { title, add = '', replace = '', by = '', place, says, hint } of MISTAKES) {
  test(`${title} is reported with its place and what is allowed`, t => {
    assert.ok(SMALL.includes(replace));
    const complaint = complaintAbout(t, SMALL.replace(replace, () => by) + add);
    assert.match(complaint.message, new RegExp(says));
    assert.match(complaint.hint, new RegExp(hint));
    assert.deepEqual([complaint.code, complaint.place], ['STUDY_INVALID', place]);
  });
}

test('more cells than a person waits for are a slip, and are counted before they are made', t => {
  const values = Array.from({ length: 100 }, (_, index) => index).join(',');
  const factors = (/** @type {string} */ names) =>
    `factors: {${[...names].map(name => `${name}: [${values}]`).join(', ')}}\n`;
  const many = complaintAbout(t, SMALL + factors('ab'));
  assert.match(many.message, /^the file makes 90,000 cells, more than 5,000/);
  assert.match(many.hint, /10,000 variants × 3 steps × 3 repeats: leave some out/);
  const tooMany = complaintAbout(t, SMALL + factors('abcdef'));
  assert.match(tooMany.message, /^factors make 1,000,000,000,000 variants/);
});
