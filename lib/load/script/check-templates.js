/** Refuses templates that mean nothing before any load: they would be sent as they are, or as `undefined`. */
import { createRequire } from 'node:module';
import { findClosest } from '../../base/files/closest.js';
import { FUNCTIONS, OF_NUMBERS } from '../engine/flow/functions.js';
import { ENVIRONMENTS, splitPath } from '../engine/flow/paths.js';
import { parseTemplates } from '../engine/flow/template.js';
import { findAll, listCaptures } from '../engine/http/captures.js';
import { hasOtherPlugins, KEYS_OF_ENGINE } from './check-script.js';
import { refuseScript } from './read-script.js';

/** @import { Script } from '../script.d.ts' */
/** @import { Template } from '../engine/flow/template.js' */
/** @import { At } from './check-script.js' */
/** @import { ScriptSource } from './read-script.js' */

/** Known before there are users. */
const EARLY = ['$environment', '$testId', '$dirname', '$scenarioFile'];
const BUILT_IN = [...EARLY, 'target', '$loopCount', '$loopElement'];
/** Parts of the configuration that our engine fills for each user, and those that are filled only once. */
const PER_USER = ['defaults', 'socketio', 'ws'];
const ONCE = ['tls', 'payload', 'variables', 'timeout', 'mode', 'apdex'];
const BRACE = '; for a brace {{ brace }}, with `brace: "{"` in `config.variables`';
const OF_ARTILLERY = ['$randomNumber', '$randomString', '$uuid'];

/**
 * @param {Script} script with flat flows
 * @param {ScriptSource} source
 * @param {{engine: 'loadflame' | 'artillery', hooks: string}} options `hooks`: the text of its processor
 * @throws {LoadflameError} SCRIPT_INVALID
 */
export function checkTemplates(script, source, { engine, hooks }) {
  const { config, scenarios, before, after } = script;
  // Plugins add functions and variables of any name.
  if (hasOtherPlugins(config)) return;
  const functions = engine === 'artillery' ? OF_ARTILLERY : Object.keys(FUNCTIONS);
  const ofUsers = [...listVariables(script), ...BUILT_IN];
  const ofDefaults = engine === 'artillery' ? EARLY : ofUsers;
  for (const [i, { name: _, loadflame: __, ...scenario }] of scenarios.entries())
    if (Object.hasOwn(KEYS_OF_ENGINE, scenario.engine ?? config.engine ?? 'http'))
      check(scenario, ['scenarios', i], ofUsers);
  check({ before, after }, [], ofUsers);
  for (const key of PER_USER) check(config[key], ['config', key], ofDefaults);
  for (const key of ONCE) check(config[key], ['config', key], EARLY);
  check({ ...config.http, defaults: null }, ['config', 'http'], EARLY);
  check(config.http?.defaults, ['config', 'http', 'defaults'], ofDefaults);

  /**
   * @param {any} node
   * @param {At} at
   * @param {string[]} known variables
   */
  function check(node, at, known) {
    if (typeof node === 'string' && node.includes('{{')) checkText(node, at, known);
    if (node === null || typeof node !== 'object') return;
    for (const [key, name] of listRead(node, source, at))
      checkText(`{{ ${name} }}`, [...at, key], known);
    for (const [key, item] of Object.entries(node)) {
      check(key, [...at, key], known);
      check(item, [...at, Array.isArray(node) ? Number(key) : key], known);
    }
  }

  /**
   * @param {string} text
   * @param {At} at
   * @param {string[]} known
   */
  function checkText(text, at, known) {
    const { templates, other } = parseTemplates(text);
    const list = `known here: ${[...known, ...functions].join(', ')}`;
    for (const template of templates) {
      const problem = findProblem(template, known);
      if (problem)
        refuseScript(source, at, `${template.template} ${problem[0]}`, problem[1] || list);
    }
    const start = `${other.slice(0, 60)} …`;
    if (other) refuseScript(source, at, `${start} is neither a variable nor a call`, list + BRACE);
  }

  /** @param {Template} template @param {string[]} known @returns {[problem: string, change: string | null] | null} */
  function findProblem({ called, args, name }, known) {
    const names = called ? functions : [...known, ...functions];
    const [root = '', ...keys] = splitPath(name);
    const word = called || root;
    if (ENVIRONMENTS.includes(word))
      return keys.length > 0 ? null : ['is the whole environment', `write {{ ${word}.NAME }}`];
    if (OF_NUMBERS.includes(called) && !args.every(Number.isFinite))
      return ['has arguments that are not numbers', 'write e.g. `(1, 9)`'];
    if (called === '$pick' && args.length < 2)
      return ['has nothing to choose from', 'write e.g. `$pick(red, blue)`'];
    // socket.io's last answer; and variables that hooks may set.
    const isSet = word === '$' || (config.processor && (word[0] !== '$' || hooks.includes(word)));
    if (isSet || names.includes(word) || names.includes(name)) return null;
    const meant = findClosest(word, names);
    const when = known === EARLY ? ': it is filled before there are users' : '';
    return [`has no value here${when}`, meant && `write \`${meant}\``];
  }
}

/**
 * Variables that a step reads outside of templates: a list, and those of a condition, as far as it reads them while all
 * are 1. Artillery skips a loop over nothing, and sends a request whose condition can't be evaluated.
 * @param {any} step
 * @param {ScriptSource} source
 * @param {At} at
 * @returns {[key: string, name: string][]}
 * @throws {LoadflameError} SCRIPT_INVALID
 */
function listRead({ over, ifTrue }, source, at) {
  /** @type {[string, string][]} */
  const read = typeof over === 'string' ? [['over', over]] : [];
  const [, inner] = /^\s*\{\{\s*(.+?)\s*\}\}\s*$/.exec(read[0]?.[1] ?? '') ?? [];
  if (inner) refuseScript(source, [...at, 'over'], `${over} is a template`, `write: \`${inner}\``);
  if (typeof ifTrue !== 'string') return read;
  // Loaded only for scripts that have conditions.
  const { compileExpression } = createRequire(import.meta.url)('filtrex');
  const customProp = (/** @type {string} */ name) => read.push(['ifTrue', name]) && 1;
  try {
    compileExpression(ifTrue, { customProp })({});
  } catch (error) {
    const [problem = ''] = String(error).replace('Error: ', '').split('\n');
    const like = 'write e.g. `count > 3 and name == "ada"`';
    refuseScript(source, [...at, 'ifTrue'], `“${ifTrue}” is no condition: ${problem}`, like);
  }
  return read;
}

/** Names that something in the script defines. @param {Script} script @returns {string[]} */
function listVariables({ config, ...flows }) {
  const payloads = [config.payload ?? []].flat();
  const captures = listCaptures(flows).map(({ as }) => String(as));
  return [
    ...Object.keys(config.variables ?? {}),
    ...payloads.flatMap(({ fields, name }) => [fields ?? [], name ?? []].flat()),
    ...captures.flatMap(as => [as, splitPath(as)[0] ?? as]),
    ...['loopValue', 'loopElement'].flatMap(key => findAll(flows, key)),
  ];
}
