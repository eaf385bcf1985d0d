import assert from 'node:assert/strict';
import * as rules from '../../../../lib/analysis/judge/findings/calls.js';
import { test } from '../../../helpers/quiet.js';

const NAME = { id: '00000001', system: null, relation: null, file: 'flags.py', line: 12 };

/** @param {string} kind @param {number} requests that do it @param {number} of @param {{each?: number, file?: null, profile?: object}} [more] `each`: acts of a request */
function find(kind, requests, of, more = {}) {
  const { each = 2, profile, ...rest } = more;
  const endpoints = [{ name: 'GET /flags', requests, count: each * requests, ms: 0 }];
  const act = { ...NAME, kind, text: 'read *.yaml', function: 'flags', endpoints, ...rest };
  const none = { mean: 0, count: 0, p50: 0, p95: 0, most: 0 };
  const times = { queries: none, databaseMs: none, poolMs: none, callsMs: none, serverMs: 5 };
  const own = { name: 'GET /flags', requests: of, ...times };
  const facts = {
    profile,
    calls: { acts: [act], statements: [], endpoints: [own], whole: times, bound: null },
  };
  return Object.values(rules).flatMap(rule => rule(/** @type {any} */ (facts)));
}

/** @type {[title: string, kind: string, requests: number, of: number, severity: string | undefined][]} */
const TRUTH = [
  ['each request reads a file', 'file', 100, 100, 'warn'],
  ['nearly each does', 'file', 90, 100, 'warn'],
  ['some do', 'file', 89, 100, undefined],
  ['the first request of each worker imports', 'import', 8, 400, undefined],
  ['few requests, perhaps the first ones', 'import', 19, 19, undefined],
  ['each one imports', 'import', 20, 20, 'warn'],
  ['each one starts a process', 'process', 40, 40, 'warn'],
  ['each one looks up a host', 'lookup', 40, 40, 'info'],
  ['each one starts threads', 'thread', 40, 40, 'warn'],
  ['each one makes a TLS context', 'tls', 40, 40, 'warn'],
  ['the first one of each worker makes an engine', 'engine', 8, 400, undefined],
  ['the first ones start threads of a pool', 'thread', 30, 400, undefined],
];

for (const [title, kind, requests, of, severity] of TRUTH)
  test(`acts of requests: ${title}`, () => {
    assert.equal(find(kind, requests, of)[0]?.severity, severity);
  });

test('acts of requests: a thread that no line of the application starts is a remark', () => {
  assert.equal(find('thread', 40, 40, { file: null })[0]?.severity, 'info');
});

test('acts of requests: only many folders are a finding, because each takes little time', () => {
  assert.deepEqual(find('folder', 40, 40, { each: 6 }), []);
  assert.equal(find('folder', 40, 40, { each: 60 })[0]?.severity, 'warn');
});

test('an import that a cause names with its CPU is no other finding', () => {
  const places = [{ function: 'flags', file: 'flags.py', line: 12 }];
  const profile = { causes: [{ id: 'import-in-request', places }], hotPaths: [] };
  assert.deepEqual(find('import', 40, 40, { profile }), []);
  assert.equal(find('compile', 40, 40, { profile }).length, 1);
  const [other] = [{ ...profile.causes[0], places: [{ ...places[0], line: 13 }] }];
  assert.equal(find('import', 40, 40, { profile: { causes: [other], hotPaths: [] } }).length, 1);
});
