/**
 * Turns the user's script into the script to run: merges options, resolves numbers, flattens flows and makes paths
 * absolute. Nothing else changes.
 */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import os from 'node:os';
import { LoadflameError } from '../base/errors.js';
import { mapValues } from '../base/files/maps.js';
import { isPlain } from '../base/files/read-yaml.js';
import { findVariable, replaceTemplates } from '../base/files/templates.js';
import { sum } from '../base/math/summary.js';
import { findCpuCgroups, readQuota } from '../base/process/cgroups.js';
import { findAll } from './engine/http/captures.js';
import { checkParts, findArtillery } from './named-packages.js';
import { checkPayloads, makePathsAbsolute } from './script/absolute-paths.js';
import { checkHooks, checkScript } from './script/check-script.js';
import { checkTemplates } from './script/check-templates.js';
import { readScript, refuseScript } from './script/read-script.js';
import { resolvePhases } from './script/resolve-phases.js';

/** @import { Phase, Script, StepSpec, Variables } from './script.d.ts' */
/** @import { ScriptSource } from './script/read-script.js' */

/**
 * @typedef {object} ScriptOptions as Artillery's flags of the same names
 * @property {string} [environment]
 * @property {Partial<Script>} [overrides]
 * @property {Variables} [variables]
 * @property {string} [payload]
 * @property {string} [config] a file that is merged over the script
 * @property {'loadflame' | 'artillery'} [engine] runs the script
 * @property {boolean} [insecure] accept any TLS certificate
 * @property {string} [name] the script's name if the file is a copy
 * @property {number} [workers] number of workers; by default chosen from the phases and the processors
 * @property {string} [cpus] processors to run on, in the syntax of `taskset -c`
 * @property {string} [scenarioName] the only scenario to run
 */

/**
 * @typedef {object} PreparedScript
 * @property {Script} script
 * @property {string} name as the user named it
 * @property {string} file absolute
 * @property {string} sha256 of the file as the user wrote it
 * @property {Record<string, string>} versions of the programs that run it, without loadflame
 * @property {string} text the file as the user wrote it, and its configuration after options
 * @property {string} hooks text of its processor; '' without
 * @property {string[]} notes how the script is read differently from how it is written
 * @property {string[]} scenarios names, without those of weight 0, which are switched off
 * @property {Phase[]} phases as planned
 * @property {number} workers number of worker threads
 * @property {string} target
 * @property {boolean} trustsAnyone TLS certificates are not checked, so it is unknown who responded
 */

/**
 * @param {string} file
 * @param {object} settings
 * @param {Record<string, string>} settings.env values of `{{ $env.NAME }}`
 * @param {string | null} [settings.target] replaces the script's own
 * @param {ScriptOptions} [options]
 * @returns {PreparedScript}
 * @throws {LoadflameError} SCRIPT_NOT_FOUND, SCRIPT_FORMAT, SCRIPT_SYNTAX, SCRIPT_INVALID,
 *   SCRIPT_NUMBER, SCRIPT_NO_TARGET, SCRIPT_USERS_ARTILLERY, ARTILLERY_…
 */
export function prepareScript(file, { env, target = null }, options = {}) {
  const { engine = 'loadflame' } = options;
  const source = readScript(file, options);
  const { script, text } = source;
  const { config } = script;
  if (!isPlain(config)) {
    const change = 'write `config:` with `target` and `phases` below it';
    refuseScript(source, ['config'], '`config` is not a map', change);
  }
  const notes = [...flattenFlows(script), ...(engine === 'loadflame' ? renameEngines(script) : [])];
  checkScript(script, source, { engine });
  notes.push(...addPlugins(script));
  config.target = resolveTarget(target ?? config.target, env, source);
  if (engine === 'loadflame') refuseSocketTarget(script, source);
  const own = isPlain(config.variables) ? config.variables : {};
  // From a list of values, each user gets one: this takes the first.
  const firsts = mapValues(own, value => (Array.isArray(value) ? value[0] : value));
  const variables = { ...firsts, $env: env, $processEnvironment: env };
  resolvePhases(config, variables, source, { engine });
  checkParts(script);
  /** @type {Record<string, string>} */
  const versions = engine === 'artillery' ? { artillery: findArtillery().version } : {};
  if (options.scenarioName && config.phases?.some(({ more }) => more))
    refuseScript(
      source,
      ['config', 'phases'],
      'a phase has `more` of one scenario, and `--scenario-name` would make it all another one',
      'omit `--scenario-name`, or the `more` of the phases',
    );
  makePathsAbsolute(script, source);
  checkPayloads(script, source);
  const { processor } = config;
  const hooks = typeof processor === 'string' ? readFileSync(processor, 'utf8') : '';
  checkHooks(script, source, hooks);
  checkTemplates(script, source, { engine, hooks });

  return {
    script,
    // Options may name variables that the file does not.
    text: text + JSON.stringify(config),
    hooks,
    name: options.name ?? file,
    file: source.file,
    sha256: hash('sha256', text),
    versions,
    notes,
    scenarios: script.scenarios.flatMap((one, i) => (one.weight === 0 ? [] : `${one.name ?? i}`)),
    phases: structuredClone(config.phases ?? []),
    workers:
      options.workers ??
      chooseWorkers(config.phases ?? [], { engine, cpus: usableCpus({ listed: options.cpus }) }),
    target: config.target,
    trustsAnyone: trustsAnyone(script, env, options),
  };
}

/**
 * @param {unknown} given
 * @param {Record<string, string>} env
 * @param {ScriptSource} source
 * @returns {string}
 */
function resolveTarget(given, env, source) {
  const text = replaceTemplates(String(given ?? ''), (name, template) => {
    const variable = findVariable(name);
    return variable === null ? template : (env[variable] ?? '');
  });
  if (URL.canParse(text) && /^(https?|wss?):$/.test(new URL(text).protocol)) {
    return text.replace(/\/+$/, '');
  }
  const at = source.locate(['config', 'target']);
  throw new LoadflameError('SCRIPT_NO_TARGET', { at, given: JSON.stringify(given ?? null) });
}

/** HTTP needs another address than ws://; sockets take both. @param {Script} script @param {ScriptSource} source */
function refuseSocketTarget({ config, scenarios }, source) {
  const isHttp = ({ engine = config.engine ?? 'http' }) => engine === 'http';
  const at = scenarios.findIndex(isHttp);
  if (at < 0 || !/^ws/.test(String(config.target))) return;
  const problem = `the target ${config.target} is a WebSocket, and this scenario sends HTTP requests`;
  const change = 'give the target as http:// or https://; scenarios with `engine: ws` take it, too';
  refuseScript(source, ['scenarios', at], problem, change);
}

/**
 * Whether an option, the environment or any part of the script (`tls`, `socketio`, `ws`, `https` of a request) turns
 * off certificate checks.
 * @param {Script} script
 * @param {Record<string, string>} env
 * @param {ScriptOptions} options
 */
function trustsAnyone(script, env, { insecure = false, environment }) {
  const { environments, ...config } = script.config;
  const text = JSON.stringify({ ...script, config: environment ? script.config : config });
  const isUnchecked = insecure || env.NODE_TLS_REJECT_UNAUTHORIZED === '0' || saysUnchecked(text);
  return isUnchecked && /"(?:https|wss):/.test(text);
}

/** Whether it has `rejectUnauthorized: false` anywhere. @param {string} text a scenario as JSON @returns {boolean} */
export const saysUnchecked = text => /"rejectUnauthorized":"?false/.test(text);

/**
 * Flattens nested lists, which come from YAML anchors: `- *login` puts a list in the place of a step.
 * @param {Script} script is modified
 * @returns {string[]} notes on changes, for people
 */
function flattenFlows(script) {
  const scenarios = Array.isArray(script.scenarios) ? script.scenarios : [];
  const all = [...scenarios, script.before, script.after].flatMap(one =>
    one && Array.isArray(one.flow) ? [one] : [],
  );
  const hasLists = all.some(({ flow }) => flow.some(Array.isArray));
  for (const one of all) one.flow = flatten(one.flow);
  return hasLists ? ['nested lists inside a flow were flattened'] : [];
}

/** Public scripts name the package that Artillery needs for socket.io 3 and newer. @param {Script} script is modified */
function renameEngines({ config, scenarios, before, after }) {
  const all = [config, scenarios, before, after]
    .flat()
    .filter(one => one?.engine === 'socketio-v3');
  for (const one of all) Object.assign(one ?? {}, { engine: 'socketio' });
  if (config['socketio-v3']) config.socketio ??= config['socketio-v3'];
  return all.length > 0 ? ['`engine: socketio-v3` runs as `engine: socketio`'] : [];
}

/** @param {any[]} steps @returns {any[]} */
function flatten(steps) {
  return steps.flat(Number.POSITIVE_INFINITY).map(step => {
    if (!isPlain(step)) return step;
    const nested = ['loop', 'parallel'].filter(key => Array.isArray(step[key]));
    const inner = Object.fromEntries(nested.map(key => [key, flatten(step[key])]));
    return { ...raiseAnswers(step), ...inner };
  });
}

/** Many scripts write what an emit waits for inside of `emit`. @param {StepSpec} step @returns {StepSpec} */
function raiseAnswers(step) {
  if (!isPlain(step.emit)) return step;
  const { namespace, acknowledge, response, ...emit } = step.emit;
  const inside = Object.entries({ namespace, acknowledge, response });
  return {
    ...Object.fromEntries(inside.filter(([, value]) => value !== undefined)),
    ...step,
    emit,
  };
}

/**
 * Checks of a script run even if `plugins` does not list the plugin that reads them.
 * @param {Script} script is modified
 * @returns {string[]} notes, for people
 */
function addPlugins({ config, ...flows }) {
  const used = [config.ensure && 'ensure', findAll(flows, 'expect').length > 0 && 'expect'];
  const added = used.filter(name => name && !Object.hasOwn(config.plugins ?? {}, name));
  const all = { ...config.plugins, ...Object.fromEntries(added.map(name => [name, {}])) };
  config.plugins = mapValues(all, options => options ?? {});
  return added.map(
    name => `\`${name}\` runs, although \`plugins\` does not list it: Artillery would not run it`,
  );
}

// -- How many worker threads a load gets.

/**
 * Artillery divides `maxVusers` among its workers, and each skips the arrivals above its own part: a worker with a part
 * of 0 skips all (2.0.34). With this many users per worker, a brief imbalance does not lose arrivals. Closed-loop users
 * are not spread thinner either.
 */
const MIN_USERS_PER_WORKER = 10;
/**
 * Up to this rate one of our workers keeps the schedule within 2 ms. Each further worker costs 60 MB, a third of a
 * CPU-second and another warm-up of the same code.
 */
const ARRIVALS_PER_WORKER = 2000;

/**
 * @param {Phase[]} phases with numbers
 * @param {object} [options]
 * @param {'loadflame' | 'artillery'} [options.engine]
 * @param {number} [options.cpus] processors that this process may use; may be a fraction
 * @returns {number}
 */
export function chooseWorkers(phases, { engine = 'loadflame', cpus = usableCpus() } = {}) {
  const whole = Math.max(1, Math.floor(cpus));
  const limits = phases
    .filter(({ arrivalCount }) => arrivalCount === undefined || engine === 'loadflame')
    .flatMap(({ maxVusers }) => (typeof maxVusers === 'number' && maxVusers > 0 ? maxVusers : []));
  const most = limits.length > 0 ? usersToWorkers(Math.min(...limits)) : Infinity;
  // Artillery leaves one processor to its main thread, which spins.
  if (engine === 'artillery') return Math.min(most, Math.max(1, whole - 1));
  return Math.min(most, whole, Math.max(1, ...phases.map(countNeeded)));
}

/** @param {Phase} phase */
function countNeeded({ users, rampTo = 0, arrivalRate = 0, arrivalCount = 0, duration = 1 }) {
  if (users !== undefined) return usersToWorkers(Math.max(users, rampTo));
  return Math.ceil(Math.max(arrivalRate, rampTo, arrivalCount / duration) / ARRIVALS_PER_WORKER);
}

/** @param {number} users */
function usersToWorkers(users) {
  return Math.max(1, Math.floor(users / MIN_USERS_PER_WORKER));
}

// -- How many processors this process can really use: affinity, and the CPU quota of its cgroups.

/**
 * @param {object} [options]
 * @param {string} [options.root] folder with `/proc` and the cgroups
 * @param {number} [options.processors] allowed by affinity
 * @param {string} [options.listed] processors to run on, in the syntax of `taskset -c`: `0,2-1023`
 * @returns {number} may be a fraction: half a processor is 0.5
 */
export function usableCpus({ root = '/', processors = os.availableParallelism(), listed } = {}) {
  const kept = listed === undefined ? processors : countListed(listed, processors);
  // From the process's own cgroup up to the highest visible one.
  const quotas = findCpuCgroups('self', root).flatMap(cgroup => readQuota(cgroup) ?? []);
  return Math.min(kept, ...quotas);
}

/** Counts the listed processors that the machine has. @param {string} listed @param {number} processors */
function countListed(listed, processors) {
  const ranges = listed.split(',').map(range => range.split('-').map(Number));
  return sum(
    ranges.map(([first = 0, last = first]) =>
      Math.max(0, Math.min(last, processors - 1) - first + 1),
    ),
  );
}
