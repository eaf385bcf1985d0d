/** Waits in a function that opens a connection in each request belong to that connection. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classifyProfile } from '../../../../lib/analysis/hotpath/classify-profile.js';
import { loadRules } from '../../../../lib/analysis/hotpath/load-rules.js';
import { classifyWaits } from '../../../../lib/analysis/profile/waits/wait-kinds.js';
import { parseRaw } from '../../../helpers/parse-raw.js';
import { VIEW } from '../../request-stacks.js';

const rules = await loadRules();
const READ = 'Ledger.ask (api/ledger.py:18);SocketIO.readinto (socket.py:706)';

/** @param {string} stack @param {string} opener of api/ledger.py */
function placeOf(stack, opener) {
  const profile = parseRaw(`${stack} 1\n`);
  const classification = classifyProfile(profile, rules);
  const openers = [{ function: opener, file: 'api/ledger.py' }];
  const { placeOf: find } = classifyWaits(profile, classification, rules, openers);
  const { function: name, as } = find(profile.rows.node[0] ?? -1) ?? {};
  return [name, as];
}

test('a login in a constructor that opens a connection is part of the connection', () => {
  const login = `${VIEW};Ledger.__init__ (api/ledger.py:14);${READ}`;
  assert.deepEqual(placeOf(login, 'Ledger.__init__'), ['Ledger.__init__', 'connect']);
  assert.deepEqual(placeOf(login, 'Ledger.close'), ['Ledger.ask', null], 'it opens none');
});

test('what uses the connection later is no part of it, nor what does more than to open it', () => {
  assert.deepEqual(placeOf(`${VIEW};${READ}`, 'Ledger.__init__'), ['Ledger.ask', null]);
  const query = `${VIEW};query (api/ledger.py:30);${READ}`;
  assert.deepEqual(placeOf(query, 'query'), ['Ledger.ask', null], 'it may ask, too');
  const view = `${VIEW.replace('list_rows', 'connect')};${READ}`;
  assert.deepEqual(placeOf(view, 'connect'), ['Ledger.ask', null], 'a view does all of its work');
});

test('functions that open connections have usual names, and others may do more', () => {
  const asOf = (/** @type {string} */ name) =>
    placeOf(`${VIEW};${name} (api/ledger.py:14);${READ}`, name)[1];
  for (const name of ['connect', 'Bank._reconnect', 'get_connection', 'Bank.__aenter__', 'open'])
    assert.equal(asOf(name), 'connect', name);
  for (const name of ['open_orders', 'connected_users', 'Bank.__call__', 'balance_of'])
    assert.equal(asOf(name), null, name);
});

test('a lock or a sleep in such a function is no wait for a connection', () => {
  const inside = `${VIEW};Ledger.__init__ (api/ledger.py:14)`;
  assert.deepEqual(placeOf(`${inside};time.sleep (<C code>)`, 'Ledger.__init__')[1], null);
  assert.deepEqual(placeOf(`${inside};Event.wait (threading.py:629)`, 'Ledger.__init__')[1], null);
});
