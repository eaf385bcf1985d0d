import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeSpan, escapeMarkdown } from '../../lib/report/print/markdown-text.js';

/** Text from outside → Markdown that shows it. */
const CASES = [
  ['GET /api/v1/exam_types/:id', 'GET /api/v1/exam_types/:id'],
  ['errors < 1% & more > 0', 'errors < 1% & more > 0'],
  ['~ −75 %', '~ −75 %'],
  ['-12.5 % of 3', '-12.5 % of 3'],
  ['<b>x</b> &lt;', '\\<b>x\\</b> \\&lt;'],
  ['*a* _b_ ~~c~~ $d$', '\\*a\\* \\_b\\_ \\~\\~\u200bc\\~\\~ \\$d\\$'],
  ['[a](http://b.example) ![c](d)', '\\[a\\](http:\u200b//b.example) !\\[c\\](d)'],
  ['www.example.com', 'www\u200b.example.com'],
  ['_www.example.com', '\\_www\u200b.example.com'],
  ['WWW.example.com', 'WWW\u200b.example.com'],
  ['of GitLab !12 &3 %4 ~bug', 'of GitLab !\u200b12 &\u200b3 %\u200b4 \\~\u200bbug'],
  ['GH-12, ABC-7', 'GH-\u200b12, ABC-\u200b7'],
  ['at 72e43beaa', 'at 72e43b\u200beaa'],
  ['1,234,567 of 123456', '1,234,567 of 123456'],
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
  assert.deepEqual(
    ['a', '`a`', 'a ``` b', ''].map(text => codeSpan(text)),
    ['`a`', '`` `a` ``', '```` a ``` b ````', ''],
  );
});

test('no cell breaks out of its table, not even in code', () => {
  assert.equal(escapeMarkdown('x | y', true), 'x \\| y');
  assert.equal(escapeMarkdown('`c \\\\| <b>`', true), '`c \\| <b>`');
});
