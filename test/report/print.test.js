/** The printers, on small documents (`lib/text/document/document.d.ts`). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printMarkdown } from '../../lib/report/print/markdown.js';
import { printTerminal } from '../../lib/report/print/terminal.js';
import {
  amount,
  code,
  column,
  drawing,
  item,
  list,
  only,
  pairs,
  paragraph,
  part,
  section,
  table,
} from '../../lib/text/document/build.js';

/** @import { Document, Section } from '../../lib/text/document/document.d.ts' */

const HOSTILE = 'a|b `c|d` <b>\u001b[31m\n# x';

/** @param {...(Section | null)} sections @returns {Document} */
const documentOf = (...sections) => ({
  headline: { level: 'warn', text: 'It is slow.', sentences: ['The database waits.'] },
  sections: sections.filter(own => own !== null),
  page: 'report.html',
});

const rows = [
  { name: 'GET /a', ms: { value: 12, low: 10, high: 14 }, count: 1200 },
  { name: 'GET /b', ms: null, count: 3 },
  { name: 'GET /c', ms: { value: 2, low: null, high: null }, count: 0 },
];
const times = table(
  'Times',
  rows,
  [
    column('', ({ name }) => name),
    amount('CPU', ({ ms }) => ms, 'ms'),
    column('', ({ count }) => ({ bar: count / 1200 })),
    amount('n', ({ count }) => count, 'count'),
  ],
  { most: 2 },
);

test('a table has numbers with units, dashes for unknown ones, and the count of omitted rows', () => {
  assert.equal(
    printTerminal(documentOf(section('times', 'Times', times)), { width: 60 }),
    [
      '! It is slow.',
      '  The database waits.',
      '',
      'Times',
      '                    CPU                                      n',
      '  GET /a    12 ms ± 2.0  ██████████████████████████████  1,200',
      '  GET /b              –  ▏                                   3',
      '  and 1 more in report.html',
    ].join('\n'),
  );
  assert.match(
    printMarkdown(documentOf(section('times', 'Times', times))),
    /\n\| {2}\| CPU \| n \|\n\| --- \| ---: \| ---: \|\n\| GET \/a \| 12 ms ± 2\.0 \| 1,200 \|\n\| GET \/b \| – \| 3 \|\n\nand 1 more in report\.html\n$/,
  );
});

test('leaves out columns from the right if there is no room, and names them', () => {
  const wide = table('Wide', rows, [
    column('', ({ name }) => name),
    amount('first figure', ({ count }) => count, 'count'),
    amount('second figure', ({ count }) => count, 'count'),
    amount('third figure', ({ count }) => count, 'count'),
  ]);
  const text = printTerminal(documentOf(section('wide', 'Wide', wide)), { width: 44 });
  assert.match(text, /^ +first figure {2}second figure$/m);
  assert.match(text, /^ {2}also in report\.html: third figure$/m);
  assert.ok(text.split('\n').every(line => line.length <= 44));
});

test('each extent prints its own blocks, and no section without any', () => {
  const own = documentOf(
    section('a', 'Both', paragraph('everywhere'), only(['full'], paragraph('in full'))),
    section('b', 'Nothing here', only(['page'], paragraph('on the page'))),
    section('c', 'Drawn', drawing('chart', null)),
    only(['short'], section('d', 'Short', list([item('of', {}, only(['full'], paragraph('x')))]))),
  );
  const short = printTerminal(own, { extent: 'short' });
  assert.match(short, /Both\n {2}everywhere\n\nShort\n {2}- of$/);
  const full = printTerminal(own, { extent: 'full' });
  assert.match(full, /Both\n {2}everywhere\n {2}in full$/);
  for (const text of [short, full]) assert.doesNotMatch(text, /Nothing|Drawn|page/);
});

test('prints evidence below its item, and marks advice', () => {
  const finding = item(
    'Requests failed.',
    { level: 'bad' },
    pairs([
      ['of', '10'],
      ['unknown', null],
    ]),
    paragraph('Read the log.', 'advice'),
  );
  const own = documentOf(section('f', 'Findings', list([finding, 'another'], 1)));
  assert.match(
    printTerminal(own),
    /Findings\n✖ Requests failed\.\n {4}of: 10\n {4}→ Read the log\.\n {2}and 1 more in report\.html$/,
  );
  assert.match(
    printMarkdown(own),
    /#### Findings\n\n- ❌ Requests failed\. Read the log\.\n {2}- of: 10\n- and 1 more in report\.html\n$/,
  );
});

test('a part has its own title', () => {
  const own = documentOf(section('s', 'Load', paragraph('one'), part('Codes', paragraph('two'))));
  assert.match(printTerminal(own), /Load\n {2}one\n\nCodes\n {2}two$/);
  assert.match(printMarkdown(own), /#### Load\n\none\n\n\*\*Codes\*\*\n\ntwo\n$/);
});

test('text from outside is text in every place', () => {
  const place = section(
    'h',
    HOSTILE,
    paragraph(HOSTILE),
    list([item([code(HOSTILE), HOSTILE], { level: 'info' }, pairs([[HOSTILE, HOSTILE]]))]),
    pairs([[HOSTILE, code(HOSTILE)]]),
    table(HOSTILE, [HOSTILE], [column(HOSTILE, name => name), column('b', name => code(name))]),
  );
  const own = { ...documentOf(place), title: HOSTILE };
  own.headline = { level: 'bad', text: HOSTILE, sentences: [HOSTILE] };
  assert.doesNotMatch(printTerminal(own), /\p{Cc}(?<!\n)/u);
  const markdown = printMarkdown(own);
  assert.doesNotMatch(markdown, /(?<!\\)<b>(?![^`\n]*`)|^# x/m);
  for (const line of markdown.split('\n').filter(one => one.startsWith('|')))
    assert.equal(line.split(/(?<!\\)\|/).length, 4, line);
});
