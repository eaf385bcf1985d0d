/** Creates the context of a virtual user, like Artillery's runner (2.0.34, core/runner.ts). */
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { FUNCTIONS } from '../engine/flow/functions.js';
import { fillTemplate } from '../engine/flow/template.js';

/** @import { PayloadSpec, ScenarioSpec, Script, Variables } from '../script.d.ts' */
/** @import { Share } from '../pacing/schedule.js' */

/**
 * @param {object} options
 * @param {Script} options.script prepared
 * @param {string} options.testRunId
 * @param {Variables} [options.variables] from the `before` flow
 */
export function createContextFactory({ script, testRunId, variables = {} }) {
  const { config } = script;
  const payloads = [config.payload ?? []].flat().map(spec => ({ spec, read: createReader(spec) }));
  const constant = {
    target: config.target,
    $environment: script._environment,
    // Not a copy: scripts see what their hooks set.
    $processEnvironment: process.env,
    $env: process.env,
    $testId: testRunId,
    ...variables,
    ...(script._configPath && { $dirname: path.dirname(script._configPath) }),
    ...(script._scriptPath && { $scenarioFile: script._scriptPath }),
  };
  const inline = Object.entries(config.variables ?? {});

  /** Values of the payload files and of `config.variables` for one user. */
  function pickVariables() {
    /** @type {Record<string, any>} */
    const vars = {};
    for (const { spec, read } of payloads) addPayload(vars, spec, read);
    for (const [name, value] of inline) vars[name] = Array.isArray(value) ? pickOne(value) : value;
    return vars;
  }

  return {
    pickVariables,
    /** @param {ScenarioSpec} scenario as written */
    create(scenario) {
      const uid = randomUUID();
      const vars = { ...constant, ...pickVariables(), $uuid: uid };
      return {
        vars,
        // No closure: see `engine/http/connection/client.js`.
        funcs: { ...FUNCTIONS, $template: fillWith.bind(null, vars) },
        scenario,
        _uid: uid,
      };
    },
  };
}

/** @typedef {ReturnType<typeof createContextFactory>} ContextFactory */

/** @param {Variables} vars @param {unknown} input */
function fillWith(vars, input) {
  return fillTemplate(input, { vars });
}

/**
 * @param {Variables} vars
 * @param {PayloadSpec} spec
 * @param {() => any} read
 */
function addPayload(vars, spec, read) {
  if (!spec.loadAll) {
    // An empty file has no row.
    const row = read() || [];
    for (const [i, field] of (spec.fields ?? []).entries()) vars[field] = row[i];
  } else if (spec.name !== undefined) vars[spec.name] = read();
}

/**
 * Reads rows of a payload file: in sequence, all as objects, or one at random.
 * @param {PayloadSpec} spec
 * @returns {() => any}
 */
function createReader({ order, name, loadAll, fields = [], data = [] }) {
  let next = 0;
  if (order === 'sequence') return () => data[next++ % data.length];
  if (order !== undefined || name === undefined || loadAll !== true) return () => pickOne(data);
  const rows = data.map(row => Object.fromEntries(fields.map((field, i) => [field, row[i]])));
  return () => (fields.length > 0 ? rows : data);
}

/** @param {any[]} list */
function pickOne(list) {
  return list[Math.floor(Math.random() * list.length)];
}

/**
 * Selects the rows of CSV files for one worker: every n-th row, so that no two workers share one. With fewer rows than
 * workers, rows repeat (Artillery: dist.ts).
 * @param {Script} script prepared
 * @param {Share} share
 * @returns {Script} copied only where it differs
 */
export function dividePayload(script, { index, of }) {
  const { config } = script;
  if (!Array.isArray(config.payload)) return script;
  const payload = config.payload.map(({ data = [], ...spec }) => {
    const own = index % Math.max(1, data.length);
    return { ...spec, data: data.filter((_, i) => i % of === own) };
  });
  return { ...script, config: { ...config, payload } };
}
