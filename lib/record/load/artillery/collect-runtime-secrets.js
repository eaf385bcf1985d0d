/**
 * What a run of Artillery teaches, as our own engine learns it: variables of users, captured values, cookies of
 * sessions and headers that hooks add. Steps of ours look at them, for Artillery tells of HTTP alone what it captures.
 */
import { isSecretField, secretsOfCookies, secretsOfValue } from '../../../files/redaction.js';
import { readPath } from '../engine/flow/paths.js';
import { listCaptures, nameCapture } from '../engine/http/captures.js';

const STEP = '$loadflame.learn';
/** Those of others may have no steps that call a function. */
const ENGINES = ['http', 'socketio', 'ws'];

/**
 * @param {Record<string, any>} script with its processor loaded; is changed
 * @param {Record<string, any>[]} early captures of the `before` flow
 * @param {(secret: string) => void} learn
 * @returns {(request: any, events: any) => void} for a request that is about to be sent
 */
export function addLearning({ config, scenarios }, early, learn) {
  config.processor ??= {};
  const names = new Map(early.map(spec => [spec.as, nameCapture(spec)]));
  let steps = 0;
  /** @param {(vars: Record<string, any>) => void} look */
  const makeStep = look => {
    const name = `${STEP} ${steps++}`;
    /** @param {any} context @param {any} _events @param {() => void} done */
    config.processor[name] = ({ vars }, _events, done) => {
      look(vars);
      done();
    };
    return { function: name };
  };
  /** @param {string[]} names @param {unknown} value */
  const learnValue = (names, value) => secretsOfValue(names, value).forEach(learn);
  const first = makeStep(vars => {
    for (const [name, value] of Object.entries(vars))
      if (!name.startsWith('$')) learnValue(names.get(name) ?? [name], value);
  });

  /** @param {any[]} flow @returns {any[]} */
  const addSteps = flow =>
    flow.flatMap(step => {
      if (Array.isArray(step?.loop)) return [{ ...step, loop: addSteps(step.loop) }];
      const captures = listCaptures(step);
      if (captures.length === 0) return [step];
      const look = makeStep(vars => {
        for (const spec of captures) learnValue(nameCapture(spec), readPath(vars, spec.as));
      });
      return [step, look];
    });
  for (const scenario of scenarios) {
    if (ENGINES.includes(scenario.engine ?? config.engine ?? 'http'))
      scenario.flow = [first, ...addSteps(scenario.flow)];
  }

  /** Of which the answers are looked at. */
  const heard = new WeakSet();
  return (request, events) => {
    for (const [name, value] of Object.entries(request.headers ?? {}))
      if (isSecretField(name, value)) learnValue([name], value);
    if (heard.has(events)) return;
    heard.add(events);
    events.on('trace:http:response', (/** @type {any} */ { headers }) =>
      (headers['set-cookie'] ?? []).flatMap(secretsOfCookies).forEach(learn),
    );
  };
}
