import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classifyProfile } from '../../../../lib/analysis/hotpath/classify-profile.js';
import { loadRules } from '../../../../lib/analysis/hotpath/load-rules.js';
import { findBackground, findHolders } from '../../../../lib/analysis/profile/waits/holders.js';
import { classifyWaits } from '../../../../lib/analysis/profile/waits/wait-kinds.js';
import { parseRaw } from '../../../helpers/parse-raw.js';
import { REQUEST } from '../../request-stacks.js';

const rules = await loadRules();

/** Who holds the lock that `waiting` waits for, with a thread in each stack. @param {string} waiting @param {string[]} others */
function holdersOf(waiting, ...others) {
  const call = /;(\S+)/.exec(waiting)?.[1] ?? null;
  const stacks = [waiting, ...others].map(
    (stack, n) =>
      `process 10:"gunicorn";thread (${n}): Thread-${n};${REQUEST};patient ${stack} ${n ? 100 : 500}\n`,
  );
  const looks = parseRaw(stacks.join(''), 'all');
  const classes = classifyWaits(looks, classifyProfile(looks, rules), rules);
  const place = { function: 'patient', file: 'api/views.py', line: null, call, as: null };
  const kinds = [{ id: /** @type {const} */ ('lock'), where: [{ ...place, share: 1 }] }];
  return findHolders(
    { looks, classes, masterPid: null, rounds: 100 },
    /** @type {any} */ (kinds.map(kind => ({ ...kind, share: { value: 1 } }))),
  );
}

const CALL =
  '(api/views.py:23);HTTPConnection.getresponse (http/client.py:1386);readinto (socket.py:706)';
const LOG = '(api/views.py:24);Logger.info (logging/__init__.py:1489);Handler.handle';
const WAIT = `${LOG} (logging/__init__.py:976);Handler.acquire (logging/__init__.py:927)`;
const WRITE = `${LOG} (logging/__init__.py:978);StreamHandler.emit (logging/__init__.py:1113)`;

test('a function that calls a service before a library takes a lock for it does not hold that lock', () => {
  assert.equal(holdersOf(WAIT, CALL, CALL), null);
  const found = holdersOf(WAIT, CALL, WRITE);
  assert.deepEqual([found?.threads, found?.doing], [1, { id: 'file', share: 1 }]);
});

test('a function that takes a lock itself holds it in its calls', () => {
  const found = holdersOf(
    '(api/views.py:22);Lock.__enter__ (multiprocessing/synchronize.py:95)',
    CALL,
  );
  assert.deepEqual([found?.threads, found?.doing.id], [1, 'external-call']);
});

test('a thread that serves no request has the line where it sleeps', () => {
  const thread = 'Thread._bootstrap (threading.py:1002);store_batches';
  const stacks = [`(api/jobs.py:26);time.sleep (<C code>) 95`, `(api/jobs.py:30) 5`];
  const lines = stacks.map(
    (own, n) => `process 10:"gunicorn";thread (${n}): T-${n};${thread} ${own}\n`,
  );
  const looks = parseRaw(lines.join(''), 'all');
  const classes = classifyWaits(looks, classifyProfile(looks, rules), rules);
  const found = findBackground({ looks, classes, masterPid: null, rounds: 100 });
  assert.deepEqual(
    [found?.function, found?.line, found?.threads, found?.asleep],
    ['store_batches', 26, 1, 0.95],
  );
});
