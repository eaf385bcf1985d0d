/** Checks a script before any load is sent: errors have file, line and the required change. */

import { findClosest } from '../../base/files/closest.js';
import { isPlain } from '../../base/files/read-yaml.js';
import { parseSeconds } from './durations.js';
import { printModule, refuseScript } from './read-script.js';

/** @import { ScenarioSpec, Script, ScriptConfig } from '../script.d.ts' */

const words = (/** @type {string} */ text) => text.split(' ');
const TOP_KEYS = words('config scenarios before after');
const SCENARIO_KEYS = words(
  'name description engine weight flow variables socketio loadflame onError beforeScenario afterScenario beforeRequest afterResponse testFunction flowFunction',
);
const VERBS = words('get post put patch delete head options');
const STEP_KEYS = [...VERBS, ...words('think log loop parallel function')];
const STEP_EXTRAS = words('count over whileTrue loopValue loopElement limit jitter');
/** Keys of a request in Artillery's engine: plugins and hooks may read more. */
const REQUEST_KEYS = words(
  'url uri name headers cookie qs json body form formData auth beforeRequest afterResponse capture match expect ifTrue probability followRedirect gzip timeout allowGetBody https description',
);
/** Additional keys of an event stream. */
const STREAM_KEYS = words('until reconnect method');
const PHASE_KEYS = words(
  'name duration arrivalRate rampTo arrivalCount users maxVusers pause mode more',
);
/** Keys of Artillery, of its built-in plugins, and ours (`engine`, `loadflame`). */
const CONFIG_KEYS = words(
  'target phases http socketio ws tls payload processor variables environments defaults timeout mode engines plugins pluginsScope ensure apdex includeFiles bundling statsInterval engine loadflame',
);
const HTTP_KEYS = words(
  'timeout pool maxSockets extendedMetrics defaults cookieJarOptions distributedTracing',
);
const CAPTURE_KEYS = words(
  'json xpath regexp header cookie selector as strict value group flags index attr multiple event',
);
const ANSWER_KEYS = words('channel on data args concat match capture timeout namespace');
/** Keys allowed below a key. @type {Record<string, readonly string[]>} */
const BELOW = {
  http: HTTP_KEYS,
  defaults: words('headers cookie strictCapture think'),
  payload: words('path fields order skipHeader delimiter cast skipEmptyLines options name loadAll'),
  ...{ capture: CAPTURE_KEYS, match: CAPTURE_KEYS },
  emit: words('channel data namespace acknowledge response'),
  // Those of the plugins: they ignore any other.
  expect: words(
    'statusCode notStatusCode contentType hasHeader headerEquals hasProperty notHasProperty equals matchesRegexp cdnHit jmespath jpath',
  ),
  ensure: words('thresholds conditions maxErrorRate min max median p95 p99'),
  ...{ acknowledge: ANSWER_KEYS, response: ANSWER_KEYS },
};
/** Where keys belong, for those in a wrong place. @type {[string, readonly string[]][]} */
const PLACES = [
  ['at the top of the file', TOP_KEYS],
  ['below `config`', CONFIG_KEYS],
  ['in a phase of `config.phases`', PHASE_KEYS],
  ['in an item of `scenarios`', SCENARIO_KEYS],
  ['in a step of a `flow`', [...STEP_KEYS, ...STEP_EXTRAS]],
  ['below a request', REQUEST_KEYS],
  ['below `config.http`', HTTP_KEYS],
  ['in a capture', CAPTURE_KEYS],
];
/** What people call them elsewhere. @type {Record<string, string>} */
const SYNONYMS = { functions: 'processor', expectations: 'expect', reporting: 'plugins' };
/** Additional keys of steps, by engine; Artillery's engine does not have those in `ours`. */
export const KEYS_OF_ENGINE = /** @type {Record<string, {theirs: string[], ours: string[]}>} */ ({
  http: { theirs: [], ours: ['sse'] },
  socketio: {
    theirs: words('emit response acknowledge namespace'),
    ours: words('connect disconnect on'),
  },
  ws: { theirs: ['connect', 'send', 'wait'], ours: ['reply', 'timeout'] },
});

/** Keys that name functions of the processor. */
const HOOK_KEYS = words(
  'function whileTrue beforeScenario afterScenario beforeRequest afterResponse onError',
);
/** Keys whose values have this shape anywhere in a script. @type {[what: string, fits: (value: any) => boolean, keys: string[]][]} */
const SHAPES = [
  ['a map', isPlain, words('http environments engines plugins headers cookie qs auth')],
  ['a text', value => typeof value === 'string', words('processor log function url')],
  [
    '`true` or `false`',
    value => /^(?:true|false|.*\{\{.*)$/.test(String(value)),
    words('extendedMetrics followRedirect gzip reconnect'),
  ],
  [
    'a number or a text',
    value => ['number', 'string'].includes(typeof value),
    words('timeout maxSockets think'),
  ],
  [
    'seconds, or a time such as `150ms`; a range is `jitter: 50ms`',
    // A template has its value later; a negative pause is none.
    value => /\{\{/.test(value) || parseSeconds(value) !== null || Number(value) < 0,
    ['think'],
  ],
  [
    'a path such as `/item`, or an address with http:// or https://',
    value => /^(?:\/|https?:\/\/|\{\{)/.test(value),
    ['url', 'uri'],
  ],
  [
    'the name of a function in the file of `processor`; code is not run from here',
    value => ![value].flat().some(name => /=>|^\s*(?:async\s+)?function\b/.test(name)),
    HOOK_KEYS,
  ],
  ['a list', Array.isArray, ['loop']],
  // Of any other, only the digits before the point would count.
  ['a whole number', value => /^(?:\d+%?|.*\{\{.*)$/.test(String(value)), ['weight']],
];

/** @typedef {(string | number)[]} At */
/** @typedef {{locate: (at: At) => string, text?: string}} Source */

/**
 * @param {Script} script merged, with flat flows; `locate` refers to the file as written
 * @param {Source} source
 * @param {{engine: 'loadflame' | 'artillery'}} options the engine that runs it
 * @throws {LoadflameError} SCRIPT_INVALID
 */
export function checkScript(script, source, options) {
  /** @type {Refuse} */
  const refuse = (at, problem, change) => refuseScript(source, at, problem, change);
  // Descriptions, and what only holds anchors that other parts of the file use.
  const blocks = source.text?.split(/^(?=[^\s#-])/m) ?? [];
  const held = Object.keys(script).filter(
    key =>
      /^(?:name|description|version|[._$].*)$/.test(key) ||
      blocks.some(text => text.startsWith(`${key}:`) && /\s&\w/.test(text)),
  );
  refuseUnknown(script, TOP_KEYS, [], refuse, held);
  const { scenarios } = script;
  const { config = {} } = script;
  // Hooks and plugins may read further keys.
  const isOpen = config.processor !== undefined || hasOtherPlugins(config);
  if (!Array.isArray(scenarios) || scenarios.length === 0) {
    refuse(['scenarios'], 'there are no scenarios', 'add a list `scenarios:` with a `flow` each');
  }
  for (const [i, scenario] of scenarios.entries()) {
    const at = ['scenarios', i];
    if (!isPlain(scenario)) refuse(at, 'a scenario is not a map', 'give it a `name` and a `flow`');
    refuseUnknown(scenario, SCENARIO_KEYS, at, refuse, isOpen ? null : []);
    refuseShapes(scenario, at, refuse);
    checkFlow(scenario, at, refuse, script.config?.engine, { ...options, isOpen });
  }
  const names = scenarios.map(({ name }, i) => String(name || i));
  checkConfig(script.config ?? {}, names, refuse);
  // Braces of recorded text (`init --har`): Artillery would fill in what follows them.
  if (options.engine === 'artillery' && script.config?.variables?.brace === '{') {
    const problem = 'recorded braces are templates for Artillery';
    refuse(['config', 'variables', 'brace'], problem, 'omit `--engine artillery`');
  }
  for (const key of ['before', 'after']) {
    /** @type {ScenarioSpec} */
    const flow = script[key];
    if (isPlain(flow))
      checkFlow(flow, [key], refuse, script.config?.engine, { ...options, isOpen });
  }
}

// -- Functions of the processor, which only a program that loads it knows.

/** Keys below which there are others that name functions. */
const WITH_HOOKS = [...TOP_KEYS, ...VERBS, ...words('flow loop parallel sse connect')];

/** @param {any} node @param {At} [at] @returns {{name: string, at: At}[]} */
function listHooks(node, at = []) {
  const isList = Array.isArray(node);
  return Object.entries(isList || isPlain(node) ? node : {}).flatMap(([key, value]) => {
    const here = [...at, isList ? Number(key) : key];
    if (HOOK_KEYS.includes(key))
      return [value ?? []].flat().map(one => ({ name: `${one}`, at: here }));
    return isList || WITH_HOOKS.includes(key) ? listHooks(value, here) : [];
  });
}

/**
 * @param {Script} script with absolute paths
 * @param {Source} source
 * @param {string} text of its processor; '' without
 * @throws {LoadflameError} SCRIPT_INVALID
 */
export function checkHooks({ config, ...flows }, source, text) {
  const hooks = listHooks(flows).filter(({ name }) => !name.includes('{{'));
  // Plugins add functions.
  if (hooks.length === 0 || hasOtherPlugins(config)) return;
  const { processor } = config;
  const { printed, problem = '' } = processor ? printModule(processor, text) : { printed: {} };
  const [why, install] = problem.split('; install it beside the script: ');
  if (install)
    refuseScript(source, ['config', 'processor'], `the processor: ${why}`, `run: ${install}`);
  // It may need a secret, which only the load gets.
  if (!printed) return;
  const { functions = [] } = printed;
  for (const { name, at } of hooks) {
    const meant = findClosest(name, functions);
    const others = `the processor exports: ${functions.join(', ') || 'no function'}`;
    const change = meant ? `write \`${meant}\`` : processor ? others : 'name its file: `processor`';
    if (!functions.includes(name))
      refuseScript(source, at, `there is no function "${name}"`, change);
  }
}

/** @typedef {(at: At, problem: string, change: string) => never} Refuse */

/**
 * An unknown key would have no effect, and the run would look valid.
 * @param {ScriptConfig} config @param {string[]} names of scenarios @param {Refuse} refuse
 */
function checkConfig(config, names, refuse) {
  const { phases, plugins, engines, http, environments = {} } = config;
  refuseShapes(config, ['config'], refuse);
  refuseShapes(http ?? {}, ['config', 'http'], refuse);
  const own = [plugins, engines].flatMap(node => (isPlain(node) ? Object.keys(node) : []));
  refuseUnknown(config, CONFIG_KEYS, ['config'], refuse, own);
  for (const [name, environment] of Object.entries(environments))
    refuseUnknown(environment, CONFIG_KEYS, ['config', 'environments', name], refuse, own);
  for (const [i, phase] of (Array.isArray(phases) ? phases : []).entries()) {
    const at = ['config', 'phases', i];
    refuseUnknown(phase, PHASE_KEYS, at, refuse);
    refuseUnknown(phase?.more, names, [...at, 'more'], refuse);
  }
}

/** Plugins that may add keys, variables and functions of their own. @param {ScriptConfig} config */
export function hasOtherPlugins({ plugins }) {
  return Object.keys(plugins ?? {}).some(name => !OWN_PLUGINS.includes(name));
}

/** They come with Artillery, and read only known keys. */
const OWN_PLUGINS = ['ensure', 'expect', 'apdex', 'metrics-by-endpoint', 'publish-metrics'];

/**
 * Includes the values of known keys.
 * @param {any} map @param {readonly string[]} known @param {At} at @param {Refuse} refuse
 * @param {readonly string[] | null} [others] further keys that may stand there; null: any that belong nowhere else
 */
function refuseUnknown(map, known, at, refuse, others = []) {
  for (const [key, value] of Object.entries(isPlain(map) ? map : {})) {
    const below = known.includes(key) && BELOW[key];
    if (below) for (const one of [value].flat()) refuseUnknown(one, below, [...at, key], refuse);
    // `x-…` keys contain YAML anchors, as in other programs.
    if (known.includes(key) || key.startsWith('x-') || others?.includes(key)) continue;
    const name = SYNONYMS[key] ?? key;
    const place = PLACES.find(([, keys]) => keys !== known && keys.includes(name))?.[0];
    const meant = known.includes(name) ? name : findClosest(key, known);
    const right = meant ? `write \`${meant}\`` : place && `write \`${name}\` ${place}`;
    const needed = right ?? (others && `known here: ${known.join(', ')}`);
    if (needed) refuse([...at, key], `"${key}" is not known here`, needed);
  }
}

/**
 * @param {Record<string, any>} map
 * @param {At} at
 * @param {Refuse} refuse
 */
function refuseShapes(map, at, refuse) {
  for (const [what, fits, keys] of SHAPES) {
    const key = keys.find(one => (map[one] ?? null) !== null && !fits(map[one]));
    if (!key) continue;
    const written = JSON.stringify(map[key]).slice(0, 80);
    refuse([...at, key], `\`${key}\` is not ${what}: ${written}`, `write ${what}`);
  }
}

/**
 * @param {ScenarioSpec} scenario
 * @param {At} at
 * @param {Refuse} refuse
 * @param {string | undefined} defaultEngine
 * @param {{engine: 'loadflame' | 'artillery', isOpen: boolean}} options
 */
function checkFlow(scenario, at, refuse, defaultEngine, options) {
  const engine = scenario.engine ?? defaultEngine ?? 'http';
  const keys = Object.hasOwn(KEYS_OF_ENGINE, engine) ? KEYS_OF_ENGINE[engine] : null;
  if (!keys && options.engine === 'artillery') return;
  const foreign = `the engine \`${engine}\` is not loadflame's`;
  if (!keys) refuse([...at, 'engine'], foreign, 'use `--engine artillery`');
  if (!Array.isArray(scenario.flow) || scenario.flow.length === 0) {
    const change = 'add a list `flow:` with at least one step';
    refuse([...at, 'flow'], 'the scenario has no steps', change);
  }
  const allowed = [...STEP_KEYS, ...STEP_EXTRAS, ...keys.theirs, ...keys.ours];
  /** @param {any[]} steps @param {At} below */
  const checkSteps = (steps, below) => {
    for (const [i, step] of steps.entries()) {
      const here = [...below, i];
      if (!isPlain(step)) {
        const problem = `the step ${JSON.stringify(step)} is not a map`;
        refuse(here, problem, 'write e.g. `- get: {url: "/"}`');
      }
      refuseUnknown(step, allowed, here, refuse);
      refuseShapes(step, here, refuse);
      const kinds = STEP_KEYS.filter(key => key in step);
      if (engine === 'http' && kinds.length > 1) {
        const change = `begin a step with \`- ${kinds[1]}:\``;
        refuse(here, `the step is \`${kinds.join('` and `')}\` at once`, change);
      }
      const ours = keys.ours.find(key => key in step);
      if (ours && options.engine === 'artillery') {
        const change = 'omit `--engine artillery`, or the step';
        refuse([...here, ours], `the step \`${ours}\` is loadflame's own`, change);
      }
      for (const key of ['loop', 'parallel']) {
        if (Array.isArray(step[key])) checkSteps(step[key], [...here, key]);
      }
      for (const verb of VERBS) {
        if (step[verb] !== undefined)
          checkRequest(step[verb], [...here, verb], refuse, REQUEST_KEYS, options.isOpen);
      }
      if (step.sse !== undefined) checkStream(step.sse, [...here, 'sse'], refuse);
    }
  };
  checkSteps(scenario.flow, [...at, 'flow']);
}

/**
 * @param {any} stream
 * @param {At} at
 * @param {Refuse} refuse
 */
function checkStream(stream, at, refuse) {
  checkRequest(stream, at, refuse, [...REQUEST_KEYS, ...STREAM_KEYS]);
  const { until = 1, match = {} } = stream;
  if (until !== 'end' && !parseSeconds(until))
    refuse([...at, 'until'], `\`until: ${until}\` is no end`, 'write `10`, `30s` or `end`');
  if (!isPlain(match)) refuse([...at, 'match'], '`match` is not a map', 'write a map');
}

/**
 * @param {any} request @param {At} at @param {Refuse} refuse @param {readonly string[]} known keys
 * @param {boolean} [isOpen] it may have others
 */
function checkRequest(request, at, refuse, known, isOpen = false) {
  if (!isPlain(request) || !(request.url || request.uri)) {
    refuse(at, 'the request has no `url`', 'add `url: "/path"` below it');
  }
  refuseUnknown(request, known, at, refuse, isOpen ? null : []);
  refuseShapes(request, at, refuse);
  if (Array.isArray(request.expect) && request.expect.some(one => Object.keys(one).length > 1)) {
    const problem = 'an item of `expect` has several checks, and only its first would run';
    refuse([...at, 'expect'], problem, 'begin each check with `-`');
  }
  for (const capture of [request.capture ?? []].flat()) {
    if (isPlain(capture) && typeof capture.as !== 'string')
      refuse([...at, 'capture'], 'a capture has no name', 'add `as: name` to it');
    if (typeof capture?.regexp === 'string' && !capture.regexp.includes('{{')) {
      try {
        new RegExp(capture.regexp, capture.flags || '');
      } catch (error) {
        refuse([...at, 'capture'], String(error), 'write a regular expression of JavaScript');
      }
    }
    if (capture?.xpath) {
      const problem = '`xpath` captures need a native package that does not build on this Node.js';
      refuse([...at, 'capture'], problem, 'use `json`, `regexp` or `selector`');
    }
  }
}
