import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readStudy } from '../../../../lib/experiment/study/study-file/read-study.js';
import { complaintAbout, SMALL, writeStudy } from './write-study.js';

test('quickly refuses aliases that expand more and more', t => {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
  for (let i = 1; i < 30; i++) {
    lines.push(
      `a${i}: &a${i} [${Array(10)
        .fill(`*a${i - 1}`)
        .join(', ')}]`,
    );
  }
  const startedMs = Date.now();
  const { code, message } = complaintAbout(t, lines.join('\n'));
  assert.equal(code, 'STUDY_SYNTAX');
  assert.match(message, /Excessive alias count/);
  assert.ok(Date.now() - startedMs < 5000);
});

test('an alias that contains itself is refused', t => {
  const { code, message } = complaintAbout(t, `${SMALL}settings: &v {a: *v}\n`);
  assert.equal(code, 'STUDY_SYNTAX');
  assert.match(message, /circular/);
});

test('depth without end is an error of its place, not of the stack', t => {
  assert.equal(complaintAbout(t, `a: ${'['.repeat(100_000)}`).code, 'STUDY_SYNTAX');
});

test('a file of megabytes is refused before it is parsed', t => {
  assert.match(complaintAbout(t, `${SMALL}#${'x'.repeat(1_100_000)}\n`).message, /more than 1 MB/);
});

for (const [title, text = ''] of [
  ['a factor', `${SMALL}factors: {__proto__: [1]}\n`],
  ['a label', `${SMALL}factors: {a: {__proto__: {x: 1}}}\n`],
  ['a setting', `${SMALL}settings: {"__proto__": 1}\n`],
  ['a merge key', `${SMALL}settings: {<<: {__proto__: {polluted: 1}}}\n`],
  ['a key of the scenario', SMALL.replace('{url: /}', '{url: /, json: {__proto__: {a: 1}}}')],
]) {
  test(`__proto__ as ${title} is refused, and nothing is polluted`, t => {
    const { code, message } = complaintAbout(t, text);
    assert.equal(code, 'STUDY_SYNTAX');
    assert.match(message, /__proto__ cannot be a key/);
    assert.equal(Reflect.get({}, 'polluted'), undefined);
  });
}

test('names that every object has are names like others', t => {
  const names = ['constructor', 'toString', 'hasOwnProperty', 'valueOf'];
  const factors = `factors: {${names.map(name => `${name}: [1, 2]`).join(', ')}}\n`;
  const exclude = 'exclude: [{constructor: 1}]\n';
  const service = 'services: {a: {command: x $STUDY_TOSTRING, when: {valueOf: 2}}}\n';
  const study = readStudy(writeStudy(t, SMALL + factors + exclude + service));
  assert.deepEqual(
    study.factors.map(({ name }) => name),
    names,
  );
  const { message } = complaintAbout(t, `${SMALL}exclude: [{constructor: 1}]\n`);
  assert.match(message, /names "constructor", which is no factor/);
});

for (const [title, text] of [
  ['a label', 'factors: {a: ["../../etc"]}'],
  ['a label of dots', 'factors: {a: [".."]}'],
  ['a factor', 'factors: {"../a": [1]}'],
  ['a service', 'services: {"../a": {command: x}}'],
  ['a probe', 'record: {probes: {"a/b": {url: /}}}'],
  ['a port', 'ports: ["../a"]'],
  ['a group of processes', 'record: {processes: {"a/b": {port: 1}}}'],
  ['a stage', 'record: {probes: {p: {url: /}}}\nstages: [{name: "../a", backlog: p.q}]'],
]) {
  test(`a path as the name of ${title} is refused`, t => {
    const { code, hint } = complaintAbout(t, `${SMALL}${text}\n`);
    assert.equal(code, 'STUDY_INVALID');
    assert.match(hint, /^give a (name|label|file)/);
  });
}

for (const [title, text, problem] of [
  ['a list instead of a map', '- a\n- b\n', /a study file is a map/],
  ['nothing', '', /a study file is a map/],
  ['a key twice', `${SMALL}title: again\n`, /keys must be unique/],
  ['a map as a key', `${SMALL}? {a: 1}\n: 2\n`, /cannot be a key/],
  ['an unknown alias', `${SMALL}repeats: *none\n`, /[Uu]nresolved alias/],
  ['two documents', `${SMALL}---\na: 1\n`, /multiple documents/],
  ['a quote that is not closed', `${SMALL}question: "why\n`, /[Mm]issing closing/],
]) {
  test(`${title} is not a study file`, t => {
    const { code, place, message } = complaintAbout(t, String(text));
    assert.equal(code, 'STUDY_SYNTAX');
    assert.match(message, /** @type {RegExp} */ (problem));
    assert.match(place, /^\d+:\d+$/);
  });
}

test('numbers that are none are refused', t => {
  assert.match(complaintAbout(t, `${SMALL}repeats: .inf\n`).message, /^repeats is empty/);
  assert.match(complaintAbout(t, `${SMALL}repeats: -1\n`).message, /^repeats is -1/);
  assert.match(complaintAbout(t, `${SMALL}repeats: 500\n`).message, /^repeats is 500/);
});
