import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readStudy } from '../../../lib/study/study-file/read-study.js';
import { complaintAbout, SMALL, writeStudy } from './write-study.js';

/** @type {[string, string, string, RegExp, RegExp][]} title, what is added from line 7 on, place, message, hint */
const UNKNOWN = [
  [
    'a port that the study does not have',
    'ports: [api]\nservices: {a: {command: [x, "{{ port.apy }}"]}}\n',
    '8:29',
    /unknown name port\.apy in services\.a\.command\.1 in the variant all/,
    /did you mean port\.api\? names here: .*ports\.api\.0/,
  ],
  [
    'a field that one value lacks',
    'factors: {cache: {"off": {}, redis: {url: r}}}\nservices: {a: {command: [x], env: {URL: "{{ cache.url }}"}}}\n',
    '8:41',
    /unknown name cache\.url in .*env\.URL in the variant cache=off/,
    /names here/,
  ],
  [
    'a name in a file of a service',
    'services: {a: {command: [x], files: {x.conf: "{{ nothing }}"}}}\n',
    '7:46',
    /unknown name nothing in .*files\.x\.conf/,
    /names here/,
  ],
  [
    'a name in a variable',
    'variables: {a: "{{ b }}"}\n',
    '7:16',
    /unknown name b in .*variables\.a/,
    /names here/,
  ],
  [
    'a name in a field of a factor',
    'factors: {f: {x: {u: "{{ b }}"}}}\n',
    '7:22',
    /unknown name b in .*factors\.f\.x\.u/,
    /names here/,
  ],
  [
    'the folder of a service outside of it',
    'record: {processes: {p: {pidFile: "{{ dir }}/pid"}}}\n',
    '7:35',
    /unknown name dir in .*pidFile/,
    /names here: .*work/,
  ],
  [
    'the step where none is known',
    'services: {a: {command: [x, "{{ step }}"]}}\n',
    '7:29',
    /unknown name step/,
    /names here/,
  ],
  [
    'a name in a probe',
    'record: {probes: {p: {url: "/{{ x }}"}}}\n',
    '7:28',
    /unknown name x in .*probes\.p\.url/,
    /names here/,
  ],
  [
    'a name in a reset',
    'reset: [{command: [rm, "{{ x }}"]}]\n',
    '7:24',
    /unknown name x in .*reset\.0\.command\.1/,
    /names here/,
  ],
  [
    'a name in the servers of a stage',
    'record: {probes: {p: {url: /}}}\nstages: [{name: s, backlog: p.q, servers: "{{ x }}"}]\n',
    '8:43',
    /unknown name x in .*servers/,
    /names here/,
  ],
  [
    'what JavaScript gives every object',
    'services: {a: {command: [x, "{{ constructor }}", "{{ __proto__ }}"]}}\n',
    '7:29',
    /unknown name constructor/,
    /names here/,
  ],
];

for (const [title, text, place, message, hint] of UNKNOWN) {
  test(`${title} is an unknown name, told with its place and the names there are`, t => {
    const complaint = complaintAbout(t, SMALL + text);
    assert.equal(complaint.code, 'STUDY_UNKNOWN_NAME');
    assert.match(complaint.message, message);
    assert.match(complaint.hint, hint);
    assert.equal(complaint.place, place);
  });
}

test('a name that is wrong in the last variant alone is found, and one in a service that never runs there is not', t => {
  const factors = 'factors: {n: [1, 2], cache: {redis: {url: r}, "off": {}}}\n';
  const service = 'services: {a: {command: ["{{ cache.url }}"], when: {cache: WHEN}}}\n';
  const study = SMALL + factors + service;
  assert.match(
    complaintAbout(t, study.replace('WHEN', '["off", redis]')).message,
    /cache\.url.*in the variant n=1,cache=off/,
  );
  assert.equal(readStudy(writeStudy(t, study.replace('WHEN', 'redis'))).services.length, 1);
});

test('names of a scenario that are not the study’s are left for Artillery', t => {
  const study = SMALL.replace('url: /', 'url: "/{{ id }}/{{ $randomNumber(1, 2) }}"');
  assert.ok(readStudy(writeStudy(t, study)));
});

test('numbers that templates give are checked in each variant', t => {
  const added = 'factors: {n: [1, none]}\nrecord: {probes: {p: {url: /}}}\n';
  const stage = 'stages: [{name: s, backlog: p.q, servers: "{{ n }}"}]\n';
  const { message, hint } = complaintAbout(t, SMALL + added + stage);
  assert.match(
    message,
    /^stages\[1\]\.servers is "none" in the variant n=none, which is not allowed/,
  );
  assert.match(hint, /whole number of at least 1/);
});

test('a service that is started once may not differ between variants', t => {
  const added = 'factors: {n: [1, 2]}\nvariables: {m: "{{ n }}"}\n';
  const service = (/** @type {string} */ scope) =>
    `services: {db: {command: [x, "{{ m }}"], scope: ${scope}}}\n`;
  const { place, message } = complaintAbout(t, SMALL + added + service('study'));
  assert.match(message, /^services\.db is started once for the study, and differs/);
  assert.equal(place, '9:12');
  assert.ok(readStudy(writeStudy(t, SMALL + added + service('variant'))));
});
