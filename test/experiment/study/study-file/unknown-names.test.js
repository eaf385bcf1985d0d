import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readStudy } from '../../../../lib/experiment/study/study-file/read-study.js';
import { complaintAbout, SMALL, writeStudy } from './write-study.js';

/** @type {[string, string, string, RegExp, RegExp][]} title, what is added from line 7 on, place, message, hint */
const UNKNOWN = [
  [
    'a port that the study does not have',
    'services: {api: {command: x, env: {URL: "{{ $env.STUDY_PORT_APY }}"}}}\n',
    '7:41',
    /unknown name \$env\.STUDY_PORT_APY in services\.api\.env\.URL in the variant all/,
    /did you mean \{\{ \$env\.STUDY_PORT_API \}\}\? variables here: .*STUDY_WORK/,
  ],
  [
    'a field that one value lacks',
    'factors: {cache: {"off": {}, redis: {url: r}}}\nservices: {a: {command: x, env: {URL: "{{ $env.STUDY_CACHE_URL }}"}}}\n',
    '8:39',
    /unknown name \$env\.STUDY_CACHE_URL in .*env\.URL in the variant cache=off/,
    /variables here/,
  ],
  [
    'a variable that is no one’s in a field of a factor',
    'factors: {f: {x: {u: "{{ $env.STUDY_B }}"}}}\n',
    '7:22',
    /unknown name \$env\.STUDY_B in factors\.f\.x\.u/,
    /variables here/,
  ],
  [
    'the own port of a service outside of it',
    'record: {processes: {p: {port: "{{ $env.STUDY_PORT }}"}}}\n',
    '7:32',
    /unknown name \$env\.STUDY_PORT in .*port/,
    /variables here/,
  ],
  [
    'the step where none is known',
    'record: {processes: {p: {pidFile: "{{ $env.STUDY_STEP }}/pid"}}}\n',
    '7:35',
    /unknown name \$env\.STUDY_STEP in .*pidFile/,
    /variables here/,
  ],
  [
    'a name in a probe',
    'record: {probes: {p: {url: "/{{ $env.STUDY_X }}"}}}\n',
    '7:28',
    /unknown name \$env\.STUDY_X in .*probes\.p\.url/,
    /variables here/,
  ],
  [
    'a name in the servers of a stage',
    'record: {probes: {p: {url: /}}}\nstages: [{name: s, backlog: p.q, servers: "{{ $env.STUDY_X }}"}]\n',
    '8:43',
    /unknown name \$env\.STUDY_X in .*servers/,
    /variables here/,
  ],
  [
    'what JavaScript gives every object',
    'services: {a: {command: x, env: {A: "{{ constructor }}", B: "{{ __proto__ }}"}}}\n',
    '7:37',
    /unknown name constructor/,
    /variables here/,
  ],
];

for (const [title, text, place, message, hint] of UNKNOWN) {
  test(`${title} is an unknown name, reported with its place and the known variables`, t => {
    const complaint = complaintAbout(t, SMALL + text);
    assert.equal(complaint.code, 'STUDY_UNKNOWN_NAME');
    assert.match(complaint.message, message);
    assert.match(complaint.hint, hint);
    assert.equal(complaint.place, place);
  });
}

test('a variable in a command that the study does not have is found before anything is started', t => {
  const factors = 'factors: {cache: {"off": {}, redis: {url: r}}}\n';
  for (const [key, at, line] of [
    ['services: {a: {command: LINE}}', 'services.a.command', '8:25'],
    ['record: {probes: {p: {command: LINE}}}', 'record.probes.p.command', '8:32'],
    ['prepare: LINE', 'prepare', '8:10'],
  ]) {
    const study = (/** @type {string} */ name) =>
      `${SMALL}${factors}${key?.replace('LINE', name)}\n`;
    const { message, hint, place } = complaintAbout(t, study('x $STUDY_CACHE_ULR'));
    assert.equal(message, `${at} has $STUDY_CACHE_ULR, which is no variable of this study`);
    assert.match(hint, /^did you mean \$STUDY_CACHE_URL\? variables: STUDY_DIR/);
    assert.equal(place, line);
    // A field of one value is empty in the others; what is not the study's is the shell's.
    assert.ok(readStudy(writeStudy(t, study('x $STUDY_CACHE_URL $HOME'))));
  }
});

test('a template of the study in a command says what to write', t => {
  const factors = 'factors: {size: {64 B: {bytes: 64}}}\n';
  const inCommand = complaintAbout(t, `${SMALL}${factors}prepare: x {{ $env.STUDY_SIZE_BYTES }}\n`);
  assert.equal(
    inCommand.message,
    'prepare has {{ $env.STUDY_SIZE_BYTES }}, and a command has variables',
  );
  assert.equal(inCommand.hint, 'write $STUDY_SIZE_BYTES (docs/studies.md)');
  // Go's templates are the command's own.
  const go = "prepare: oc get pods -o go-template='{{range .items}}{{.kind}}{{end}}'\n";
  assert.ok(readStudy(writeStudy(t, SMALL + go)));
});

test('a name that is wrong in the last variant alone is found, and one in a service that never runs there is not', t => {
  const factors = 'factors: {n: [1, 2], cache: {redis: {url: r}, "off": {}}}\n';
  const service =
    'services: {a: {command: x, env: {A: "{{ $env.STUDY_CACHE_URL }}"}, when: {cache: WHEN}}}\n';
  const study = SMALL + factors + service;
  assert.match(
    complaintAbout(t, study.replace('WHEN', '["off", redis]')).message,
    /STUDY_CACHE_URL.*in the variant n=1,cache=off/,
  );
  assert.equal(readStudy(writeStudy(t, study.replace('WHEN', 'redis'))).services.length, 1);
});

test('names of a scenario that are not the study’s are left for Artillery', t => {
  const study = SMALL.replace('url: /', 'url: "/{{ id }}/{{ $randomNumber(1, 2) }}"');
  assert.ok(readStudy(writeStudy(t, study)));
});

test('numbers that templates give are checked in each variant', t => {
  const added = 'factors: {n: [1, none]}\nrecord: {probes: {p: {url: /}}}\n';
  const stage = 'stages: [{name: s, backlog: p.q, servers: "{{ $env.STUDY_N }}"}]\n';
  const { message, hint } = complaintAbout(t, SMALL + added + stage);
  assert.match(
    message,
    /^stages\[1\]\.servers is "none" in the variant n=none, which is not allowed/,
  );
  assert.match(hint, /a number above 0/);
});
