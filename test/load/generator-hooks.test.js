import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { serve } from '../helpers/listen.js';
import { test } from '../helpers/quiet.js';
import { makeFolder, readLoad, startTestLoad } from './helpers.js';

/** What a hook can do wrong; each ends its user with that error, and the others go on. */
const HOOKS = `
export function neverCallsBack(context, events, done) { if (context.none) done(); }
export function throwsLater(context, events, done) {
  setTimeout(() => { throw new Error('thrown in a timer'); }, 10);
  if (context.none) done();
}
export function forgetsToReject(context, events, done) {
  setTimeout(() => { Promise.reject(Object.assign(new Error('nobody caught'), { code: 'EFORGOTTEN' })); }, 10);
  if (context.none) done();
}
export function failsAfterItsEnd(context, events, done) {
  setTimeout(() => { throw new Error('too late'); }, 50);
  done();
}
export function throws() { throw new Error('thrown at once'); }
export function rejects() { return Promise.reject(new Error('rejected')); }
`;
const NAMES = [...HOOKS.matchAll(/export function (\w+)/g)].map(([, name]) => String(name));

test('whatever a hook does wrong has a name, ends its user alone, and the load goes on', async t => {
  const target = await serve(t, (_, response) => response.end());
  const scenarios = [...NAMES, null].map(
    name =>
      `  - { name: ${name ?? 'good'}, flow: [${name ? `{ function: ${name} }, ` : ''}{ get: { url: /${name} } }, { think: 0.3 }] }`,
  );
  const { running, files } = await startTestLoad(makeFolder(t), {
    script: `
config:
  target: "${target}"
  processor: ./hooks.mjs
  loadflame: { hookTimeout: 1 }
  phases: [{ duration: 2, arrivalCount: 140 }]
scenarios:
${scenarios.join('\n')}
`,
    files: { 'hooks.mjs': HOOKS },
    settings: {},
    workers: 1,
  });
  const end = await running.ended;
  const { counters } = await readLoad(files);
  const log = readFileSync(files.generatorLog, 'utf8');
  assert.equal(end.reason, 'complete', log);
  const users = (/** @type {string} */ name) => counters[`vusers.created_by_name.${name}`] ?? 0;
  /** @type {[string, string][]} */
  const named = [
    ['neverCallsBack', 'hook neverCallsBack did not call back within 1 s'],
    ['throwsLater', 'thrown in a timer'],
    ['forgetsToReject', 'EFORGOTTEN'],
    ['failsAfterItsEnd', 'too late'],
    ['throws', 'thrown at once'],
    ['rejects', 'rejected'],
  ];
  for (const [hook, error] of named) {
    assert.equal(
      counters[`errors.${error}`] ?? 0,
      users(hook),
      `${hook}: ${JSON.stringify(counters)}`,
    );
  }
  assert.equal(counters['vusers.created'], 140);
  // An error after the end of a hook ends nobody.
  assert.equal(counters['vusers.completed'], users('good') + users('failsAfterItsEnd'));
  assert.match(log, /uncaught error in the hook throwsLater: Error: thrown in a timer/);
  const shown = log.match(/^uncaught error/gm)?.length ?? 0;
  assert.ok(shown <= 20, `${shown} uncaught errors are shown`);
  assert.match(log, /further uncaught errors are counted and not shown/);
});
