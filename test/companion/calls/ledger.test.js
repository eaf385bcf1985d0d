import assert from 'node:assert/strict';
import { APP, ask, python } from '../../helpers/companion.js';
import { test } from '../../helpers/quiet.js';

test('calls on the way out of the app are reported with its own response', () => {
  const [first, second] = ask('/nothing?out', '/nothing');
  assert.deepEqual([first?.map((/** @type {any} */ one) => one.n), second], [[1], undefined]);
});

test('calls after the headers come with the next response of the route, with the number of requests that made them', () => {
  const told = python([APP, '/nothing?late', '/nothing', '/nothing?late', '/nothing?late']);
  const all = told.map((/** @type {any} */ one) => one && [one.calls, one.late[0]]);
  const counts = told.map((/** @type {any} */ one) =>
    one?.late[1].map((/** @type {any} */ call) => call[1]),
  );
  assert.deepEqual(all, [null, [[], 1], null, [[], 2]]);
  assert.deepEqual(counts, [undefined, [1], undefined, [1]]);
});

test('a header is bounded, and the rest is summed', () => {
  const [first, second] = python([APP, '/many', '/many']);
  for (const { calls, more, named, size, isAscii } of [first, second]) {
    assert.ok(size <= 3000 && isAscii && calls.length <= 40, `${size} ${calls.length}`);
    assert.ok(Object.keys(named).length > 0);
    const told = calls.reduce(
      (/** @type {number} */ sum, /** @type {number[]} */ one) => sum + (one[1] ?? 0),
      0,
    );
    assert.equal(told + more[0], 600);
  }
  assert.notDeepEqual(Object.keys(first.named), Object.keys(second.named));
});

test('where a response has no space for all names, those of the most frequent statements come first', () => {
  const program = `
import json
import loadflame_companion as companion
ledger = companion.Ledger()
for number, (count, seconds) in enumerate([(1, 9), (1, 8), (1, 7), (1, 6), (20, 0.001), (17, 0.001)]):
    text = "SELECT " + ("column%d, " % number) * 200
    call = companion.Call("sql", "sqlite", text, None, None)
    ledger.times += [(call, seconds, 1, False)] * count
told = json.loads(ledger.tell(companion.Ledger()))
print(json.dumps([[one["text"][7:14] for one in told["named"].values()], len(told["calls"])]))`;
  const [named, calls] = python(['-c', program]);
  assert.deepEqual(named.slice(0, 2), ['column4', 'column5']);
  assert.ok(named.length < calls && calls === 6, `${named.length} of ${calls}`);
});

test('waits for a pool are waits, however many, and in late calls too', () => {
  const program = `
import json
from loadflame_companion import POOL, Ledger, Served, count_call
def ledger(times):
    caller = Served(None, None)
    for _ in range(times):
        count_call(caller, POOL, 0.001)
    return caller.ledger or Ledger()
print(json.dumps([json.loads(ledger(own).tell(ledger(late), 3)) for own, late in ((501, 0), (0, 501), (501, 501), (1, 1))]))`;
  const told = [501, 501, 1002, 2].map(n => ({ calls: [], late: [3, []], pool: [n, n * 1000] }));
  assert.deepEqual(python(['-c', program]), told);
});
