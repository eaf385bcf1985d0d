import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeSpan, escapeMarkdown, markdownTable } from '../../lib/report/markdown-text.js';

/** Text from outside → Markdown that shows it. */
const CASES = [
  ['GET /api/v1/exam_types/:id', 'GET /api/v1/exam_types/:id'],
  ['errors < 1% & more > 0', 'errors < 1% & more > 0'],
  ['~ −75 %', '~ −75 %'],
  ['-12.5 % of 3', '-12.5 % of 3'],
  ['<b>x</b> &lt;', '\\<b>x\\</b> \\&lt;'],
  ['*a* _b_ ~~c~~ $d$', '\\*a\\* \\_b\\_ \\~\\~c\\~\\~ \\$d\\$'],
  ['[a](http://b.example) ![c](d)', '\\[a\\](http\\://b.example) !\\[c\\](d)'],
  ['www.example.com', 'www\\.example.com'],
  ['@all, a@b.example, #12', '@\u200ball, a@\u200bb.example, #\u200b12'],
  ['# head', '\\# head'],
  ['- item', '\\- item'],
  ['1. item', '1\\. item'],
  ['> quote', '\\> quote'],
  ['a|b \\', 'a\\|b \\\\'],
  ['a\nb\r\nc', 'a b c'],
  // our own sentences mark code with backticks
  ['set `--max_requests <n>`', 'set `--max_requests <n>`'],
  ['a ` b', 'a \\` b'],
  ['``<b>``', '\\`\\`\\<b>\\`\\`'],
];

for (const [text = '', expected] of CASES) {
  test(`${JSON.stringify(text)} stays text in Markdown`, () => {
    assert.equal(escapeMarkdown(text), expected);
  });
}

test('code may have backticks', () => {
  assert.deepEqual(['a', '`a`', 'a ``` b', ''].map(codeSpan), [
    '`a`',
    '`` `a` ``',
    '```` a ``` b ````',
    '',
  ]);
});

test('no cell breaks out of its table, in code neither', () => {
  const [, , row] = markdownTable(['a', 'b'], [['x | y', '`c \\\\| <b>`']]);
  assert.equal(row, '| x \\| y | `c \\| <b>` |');
});
