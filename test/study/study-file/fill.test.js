import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listTemplates } from '../../../lib/files/templates.js';
import { fillTemplates } from '../../../lib/study/study-file/fill.js';

const NAMES = {
  workers: 2,
  'port.api': 7000,
  'ports.api': [7000, 7001],
  pool: '{{ workers }}',
  cash: '$&',
};
const AT = { at: 'services.api' };

test('a text that is one template becomes what the name stands for, others become texts', () => {
  assert.equal(fillTemplates('{{ workers }}', NAMES, AT), 2);
  assert.equal(fillTemplates('{{workers}}', NAMES, AT), 2);
  assert.equal(fillTemplates(' {{ workers }}', NAMES, AT), ' 2');
  assert.equal(fillTemplates('{{ port.api }}:{{ port.api }}', NAMES, AT), '7000:7000');
  assert.deepEqual(fillTemplates('{{ ports.api }}', NAMES, AT), [7000, 7001]);
  assert.equal(fillTemplates('a { b } {c}', NAMES, AT), 'a { b } {c}');
});

test('texts are filled wherever they stand, and what was given stays as it is', () => {
  const value = { '{{ workers }}': ['{{ workers }}', { a: null, b: 1, c: 'x{{ workers }}' }] };
  const before = structuredClone(value);
  assert.deepEqual(fillTemplates(value, NAMES, AT), {
    '{{ workers }}': [2, { a: null, b: 1, c: 'x2' }],
  });
  assert.deepEqual(value, before);
});

test('what a name stands for is not filled again, and no sign in it has a meaning', () => {
  assert.equal(fillTemplates('x{{ pool }}', NAMES, AT), 'x{{ workers }}');
  assert.equal(fillTemplates('x{{ cash }}', NAMES, AT), 'x$&');
});

test('an unknown name is an error with the closest, or is left where it may be another’s', () => {
  assert.throws(() => fillTemplates(['a', 'b {{ wokers }}'], NAMES, { ...AT, where: ' in x=1' }), {
    code: 'STUDY_UNKNOWN_NAME',
    message: 'services.api: unknown name wokers in services.api.1 in x=1',
    hint: /^did you mean workers\? names here: workers, port\.api/,
  });
  const kept = fillTemplates('/{{ id }}/{{ workers }}', NAMES, { ...AT, keepUnknown: true });
  assert.equal(kept, '/{{ id }}/2');
  assert.equal(fillTemplates('{{ id }}', NAMES, { ...AT, keepUnknown: true }), '{{ id }}');
  assert.throws(() => fillTemplates('{{ toString }}', NAMES, AT), { code: 'STUDY_UNKNOWN_NAME' });
});

test('a text that templates blow up is refused', () => {
  const names = { big: 'x'.repeat(600_000) };
  assert.throws(() => fillTemplates('{{ big }}{{ big }}', names, AT), {
    code: 'STUDY_INVALID',
    message: /becomes more than 1 MB/,
  });
});

test('templates of a text are listed', () => {
  assert.deepEqual(listTemplates('{{ a }}-{{b.c}}'), ['a', 'b.c']);
  assert.deepEqual(listTemplates(7), []);
});
