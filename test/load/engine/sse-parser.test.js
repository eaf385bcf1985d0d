import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventParser } from '../../../lib/load/engine/sse/event-parser.js';

/** @param {(string | Uint8Array)[]} chunks @param {string} [lastEventId] */
function parse(chunks, lastEventId = '') {
  /** @type {string[]} */
  const events = [];
  const before = { lastEventId, retryMs: 3000 };
  const parser = new EventParser(({ type, data }) => events.push(`${type}: ${data}`), before);
  for (const chunk of chunks) parser.add(Buffer.from(chunk));
  return { events, parser };
}

/** @type {[title: string, stream: string, events: string[]][]} by section 9.2.6 of the HTML standard */
const CASES = [
  ['lines of data are joined', 'data: YHOO\ndata: +2\ndata: 10\n\n', ['message: YHOO\n+2\n10']],
  [
    'comments, ids and empty data, as in the example of the standard',
    ': test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n',
    ['message: first event', 'message: second event', 'message:  third event'],
  ],
  ['data without a value is an event', 'data\n\ndata\ndata\n\ndata:', ['message: ', 'message: \n']],
  [
    'one space after the colon is none',
    'data:test\n\ndata: test\n\n',
    ['message: test', 'message: test'],
  ],
  ['a name lasts for one event', 'event: a\ndata: 1\n\ndata: 2\n\n', ['a: 1', 'message: 2']],
  ['a name without data is no event', 'event: a\n\ndata: 2\n\n', ['message: 2']],
  ['unknown fields are ignored', 'Data: 1\nfoo: 2\n data: 3\ndata: 4\n\n', ['message: 4']],
  ['the first BOM is none of the stream', '\uFEFFdata: 1\n\n\uFEFFdata: 2\n\n', ['message: 1']],
  ['an event that is not complete is none', 'data: 1\n', []],
  ['characters of several bytes', 'data: héé €\u{1F600}\n\n', ['message: héé €\u{1F600}']],
];

for (const [title, stream, events] of CASES)
  for (const end of ['\n', '\r', '\r\n'])
    test(`${title} (${JSON.stringify(end)}), whole and cut after each byte`, () => {
      const text = stream.replaceAll('\n', end);
      assert.deepEqual(parse([text]).events, events);
      const bytes = [...Buffer.from(text)].map(byte => Uint8Array.of(byte));
      assert.deepEqual(parse(bytes).events, events);
      const empty = bytes.flatMap(byte => [byte, new Uint8Array()]);
      assert.deepEqual(parse(empty).events, events);
    });

test('an event is complete with the CR, whatever follows', () => {
  assert.deepEqual(parse(['data: 1\r\n\r']).events, ['message: 1']);
  assert.deepEqual(parse(['data: 1\r', '\ndata: 2\r', '\n\r', '\n']).events, ['message: 1\n2']);
});

test('the id stays until the server names another, and not one with NUL', () => {
  const ids = (/** @type {string} */ stream) => parse([stream], 'before').parser.lastEventId;
  assert.equal(ids('data: 1\n\n'), 'before');
  assert.equal(ids('id: 7\ndata: 1\n\ndata: 2\n\n'), '7');
  assert.equal(ids('id: 7\n\n'), '7');
  assert.equal(ids('id: 7\n'), 'before');
  assert.equal(ids('id\ndata: 1\n\n'), '');
  assert.equal(ids('id: 7\n\nid: 8\0\ndata: 1\n\n'), '7');
});

test('`retry` is digits alone', () => {
  const retry = (/** @type {string} */ stream) => parse([stream]).parser.retryMs;
  assert.equal(retry('retry: 250\n'), 250);
  for (const value of ['', '1.5', '-1', '0x10', '1e3', '٣'])
    assert.equal(retry(`retry: ${value}\n`), 3000);
});

test('a line or an event without an end fills no memory', () => {
  const chunk = 'x'.repeat(60_000);
  assert.throws(() => parse(['data: ', ...Array(20).fill(chunk)]), /event too large/);
  assert.throws(() => parse(Array(20).fill(`data: ${chunk}\n`)), /event too large/);
  assert.equal(parse(Array(40).fill(`data: ${chunk}\n\n`)).events.length, 40);
});
