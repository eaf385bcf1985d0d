import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listTemplates } from '../../../../lib/base/files/templates.js';
import { fillTemplates } from '../../../../lib/experiment/study/study-file/variables.js';

const VARIABLES = {
  STUDY_WORKERS: '2',
  STUDY_SIZE: '010',
  STUDY_POOL: '{{ $env.STUDY_WORKERS }}',
  STUDY_CASH: '$&',
};
const AT = { at: 'settings' };

test('a text that is one template becomes a number where the variable reads like one', () => {
  assert.equal(fillTemplates('{{ $env.STUDY_WORKERS }}', VARIABLES, AT), 2);
  assert.equal(fillTemplates('{{$processEnvironment.STUDY_WORKERS}}', VARIABLES, AT), 2);
  assert.equal(fillTemplates('{{ $env.STUDY_SIZE }}', VARIABLES, AT), '010');
  assert.equal(fillTemplates(' {{ $env.STUDY_WORKERS }}', VARIABLES, AT), ' 2');
  assert.equal(fillTemplates('a { b } {c}', VARIABLES, AT), 'a { b } {c}');
});

test('fills texts everywhere, and keeps the input unchanged', () => {
  const two = '{{ $env.STUDY_WORKERS }}';
  const value = { [two]: [two, { a: null, b: 1, c: `x${two}` }] };
  const before = structuredClone(value);
  assert.deepEqual(fillTemplates(value, VARIABLES, AT), { [two]: [2, { a: null, b: 1, c: 'x2' }] });
  assert.deepEqual(value, before);
});

test('the value of a variable is not filled again, and no sign in it has a meaning', () => {
  assert.equal(fillTemplates('x{{ $env.STUDY_POOL }}', VARIABLES, AT), 'x{{ $env.STUDY_WORKERS }}');
  assert.equal(fillTemplates('x{{ $env.STUDY_CASH }}', VARIABLES, AT), 'x$&');
});

test('an unknown variable is an error with the closest, also among templates of a scenario', () => {
  const text = ['a', 'b {{ $env.STUDY_WOKERS }}'];
  for (const keepOthers of [false, true])
    assert.throws(() => fillTemplates(text, VARIABLES, { ...AT, keepOthers, where: ' in x=1' }), {
      code: 'STUDY_UNKNOWN_NAME',
      message: 'settings: unknown name $env.STUDY_WOKERS in settings.1 in x=1',
      hint: /^did you mean \{\{ \$env\.STUDY_WORKERS \}\}\? variables here: STUDY_WORKERS, STUDY_SIZE/,
    });
  const kept = fillTemplates('/{{ id }}/{{ $env.ROOM }}/{{ $env.STUDY_WORKERS }}', VARIABLES, {
    ...AT,
    keepOthers: true,
  });
  assert.equal(kept, '/{{ id }}/{{ $env.ROOM }}/2');
});

test('a template as it was written before names the variable', () => {
  assert.throws(() => fillTemplates('{{ workers }}', VARIABLES, AT), {
    code: 'STUDY_UNKNOWN_NAME',
    hint: /^did you mean \{\{ \$env\.STUDY_WORKERS \}\}\?/,
  });
});

test('templates of a text are listed', () => {
  assert.deepEqual(listTemplates('{{ a }}-{{b.c}}'), ['a', 'b.c']);
  assert.deepEqual(listTemplates(7), []);
});
