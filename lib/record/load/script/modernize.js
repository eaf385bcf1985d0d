/**
 * What scripts for older versions of Artillery mean, said in the words of 2.0.34. Every change that
 * alters how a step is run is told.
 */
import { isPlain } from '../../../files/read-yaml.js';

const VERBS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'];

/**
 * @param {Record<string, any>} script is changed
 * @returns {string[]} what was changed, for people
 */
export function modernize(script) {
  /** @type {Set<string>} */
  const notes = new Set();
  for (const scenario of flowsOf(script)) {
    if (!Array.isArray(scenario.flow)) continue;
    if (scenario.flow.some(Array.isArray)) notes.add('nested lists inside a flow were flattened');
    scenario.flow = flatten(scenario.flow, notes).map(step => wrapForTop(step, scenario.engine));
  }
  return [...notes];
}

/** All that has a flow. @param {Record<string, any>} script @returns {Record<string, any>[]} */
export function flowsOf(script) {
  const scenarios = Array.isArray(script.scenarios) ? script.scenarios : [];
  return [...scenarios, script.before, script.after].filter(isPlain);
}

/**
 * Lists inside lists come from YAML anchors: `- *login` puts a list where a step belongs.
 * @param {any[]} steps
 * @param {Set<string>} notes
 * @returns {any[]}
 */
function flatten(steps, notes) {
  return steps.flat(Number.POSITIVE_INFINITY).map(step => {
    if (!isPlain(step)) return step;
    const changed = { ...step };
    for (const key of ['loop', 'parallel']) {
      if (Array.isArray(step[key])) changed[key] = flatten(step[key], notes);
    }
    for (const verb of VERBS) {
      if (isPlain(step[verb])) changed[verb] = moveStrict(step[verb], notes);
    }
    return changed;
  });
}

/**
 * `strict: false` beside `capture` was meant for its captures; there, Artillery does not heed it
 * and ends the user.
 * @param {Record<string, any>} request
 * @param {Set<string>} notes
 */
function moveStrict(request, notes) {
  const { strict, ...rest } = request;
  if (typeof strict !== 'boolean') return request;
  notes.add('`strict` beside `capture` was moved into the captures');
  const move = (/** @type {any} */ item) => (isPlain(item) ? { strict, ...item } : item);
  for (const key of ['capture', 'match']) {
    if (rest[key] === undefined) continue;
    rest[key] = Array.isArray(rest[key]) ? rest[key].map(move) : move(rest[key]);
  }
  return rest;
}

/**
 * At the top of a flow Artillery's validation refuses a second key beside `think` or `parallel`; in
 * a loop it takes them. Once around a loop is the same.
 * @param {any} step
 * @param {string | undefined} engine
 */
function wrapForTop(step, engine) {
  if (!isPlain(step) || engine === 'socketio' || step.loop) return step;
  const special = step.think !== undefined || step.parallel !== undefined;
  return special && Object.keys(step).length > 1 ? { loop: [step], count: 1 } : step;
}
