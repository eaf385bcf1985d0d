/**
 * Uses Artillery's command line as the generator: starts it, records its plugin's messages, and reads its output file.
 * `load/artillery.json` keeps Artillery's own format, redacted.
 */
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { LoadflameError } from '../../base/errors.js';
import { parseOrNull } from '../../base/files/parse-json.js';
import { replaceFile } from '../../base/files/replace-file.js';
import { escapeUnicode } from '../../base/files/secret-forms.js';
import { tryOr } from '../../base/files/try-or.js';
import { readText } from '../../base/process/process-table.js';
import { makeTempFolder } from '../../base/process/temp-folder.js';
import { createNdjsonWriter } from '../../run/ndjson.js';
import { listCaptures } from '../engine/http/captures.js';
import { findOutputFile, formatOutput, formatStats } from '../generator/stats.js';
import { createPeriods, PERIOD_MS } from '../metrics/periods.js';
import { createProgress } from '../metrics/progress.js';
import { findArtillery } from '../named-packages.js';

/** @import { Stats } from '../generator/stats.js' */
/** @import { Script } from '../script.d.ts' */
/** @import { Generator, GeneratorOptions } from '../load.d.ts' */
/** @import { FromGenerator, GeneratorFlags } from '../messages.js' */

/** Artillery concatenates scope and name: `<folder>/artillery-plugin-` + `loadflame`. */
const PLUGIN_SCOPE = path.join(import.meta.dirname, 'artillery-plugin-');
/**
 * Saves whenever the results have grown by a tenth. A killed loadflame then leaves most of them, and the cost does not
 * grow with the square of a run's length.
 */
const SAVE_GROWTH = 1.1;
/**
 * @param {GeneratorOptions} options
 * @param {(message: FromGenerator) => void} say takes messages as if from the generator
 * @returns {Generator}
 * @throws {LoadflameError} LOAD_NOT_STARTED
 */
export function prepareArtillery({ prepared, files, flags = {}, tokens, redactor, ...rest }, say) {
  const outputFile = readOutputFlag(flags.output, files.generatorLog);
  // Private, and removed at the end: literal secrets in it are in the user's script anyway.
  const folder = makeTempFolder();
  const [script, output] = [path.join(folder, 'script.json'), path.join(folder, 'output.json')];
  replaceFile(script, serializeScript(asArtilleryNeeds(prepared.script, flags)));

  const { append } = createNdjsonWriter(files.metrics);
  const progress = createProgress(prepared.phases.length, { recordMs: PERIOD_MS });
  /** @type {Stats[]} */
  const intermediate = [];
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let timer;
  let usersActive = 0;
  let saveAt = 1;
  const periods = createPeriods(1, period =>
    intermediate.push(formatStats(period, String(period.fromMs))),
  );

  /** The results of the periods so far. */
  function summarize() {
    const total = periods.finish();
    return formatOutput(formatStats(total, total.fromMs), intermediate);
  }

  /** @param {object} json */
  function save(json) {
    const text = JSON.stringify(redactor.redactValue(json), null, 2);
    replaceFile(files.artillery, text);
    if (outputFile) writeFileSync(outputFile, text);
  }

  return {
    args: [findArtillery().program, 'run', script, '--output', output, ...asArguments(flags)],
    job: {
      loadflame: 'job',
      workers: prepared.workers,
      tokens: tokens?.tokens() ?? [],
      tokenPlaces: rest.tokenPlaces,
      early: listCaptures(prepared.script.before),
      named: listVariables(prepared, { ...process.env, ...rest.env, ...rest.secretEnv }),
    },
    take(message) {
      if (message.loadflame === 'ready') {
        rmSync(script, { force: true });
        const { name, scenarios, phases, workers, trustsAnyone } = prepared;
        const about = { engine: 'artillery', script: name, workers, trustsAnyone };
        append('load-start', { ...about, scenarios, phases });
        const tell = () => say({ loadflame: 'progress', progress: progress.read() });
        timer = setInterval(tell, 1000);
      } else if (message.loadflame === 'phase') {
        const { kind, index, name } = message;
        if (kind === 'phase-start') progress.startPhase({ index, name });
        const spec = prepared.phases[index];
        append(kind, { index, name, ...(kind === 'phase-start' && { spec }) });
      } else if (message.loadflame === 'period') {
        const { record } = message;
        const count = (/** @type {string} */ name) => record.counters[`vusers.${name}`] ?? 0;
        usersActive += count('created') - count('completed') - count('failed');
        progress.addSecond({ ...record, usersActive });
        periods.addSecond(record);
        periods.tick(0, record.fromMs + PERIOD_MS);
        if (intermediate.length < saveAt) return;
        saveAt = Math.ceil(intermediate.length * SAVE_GROWTH);
        // A failure to write is reported at the end.
        tryOr(null, () => save(summarize()));
      }
    },
    async end() {
      clearInterval(timer);
      // Artillery writes it only at the end of a complete run, and only a part of it on a full disk.
      const whole = parseOrNull(readText(output) ?? '');
      rmSync(folder, { recursive: true, force: true });
      const complete = whole !== null;
      const json = whole ?? summarize();
      if (timer !== undefined && !complete) {
        const text =
          intermediate.length > 0
            ? 'Artillery writes its file only at the end of a whole run: the report holds the periods of 10 s that it had reported'
            : 'Artillery writes its file only at the end of a whole run, and no period of 10 s had ended: the report has no load';
        say({ loadflame: 'note', text });
      }
      try {
        if (complete || intermediate.length > 0) save(json);
      } catch (error) {
        const text = `what Artillery measured cannot be written: ${/** @type {Error} */ (error).message}`;
        say({ loadflame: 'note', text });
      }
      return { counters: redactor.redactValue(json.aggregate.counters), complete };
    },
  };
}

/**
 * The names of variables in a script and its hooks.
 * @param {GeneratorOptions['prepared']} prepared @param {Record<string, unknown>} env
 */
function listVariables({ text, hooks }, env) {
  return Object.keys(env).filter(name => text.includes(name) || hooks.includes(name));
}

/**
 * @param {Script} script prepared; is not modified
 * @param {GeneratorFlags} flags
 * @returns {Record<string, any>}
 */
function asArtilleryNeeds(script, { output }) {
  const { http, plugins } = script.config;
  return {
    ...script,
    config: {
      ...script.config,
      // Artillery reports total times only then.
      http: { ...http, extendedMetrics: true },
      plugins: {
        // Artillery adds this plugin anyway, and URLs with ids produce any number of metrics. With `--output`, the
        // file has what Artillery writes by default.
        ...(!output && {
          'metrics-by-endpoint': { ignoreUnnamedRequests: true, suppressOutput: true },
        }),
        ...plugins,
        loadflame: { scope: PLUGIN_SCOPE },
      },
    },
  };
}

/** @param {string | undefined} output @param {string} log */
function readOutputFlag(output, log) {
  try {
    return findOutputFile(output);
  } catch (error) {
    const reason = /** @type {Error} */ (error).message;
    throw new LoadflameError('LOAD_NOT_STARTED', { exitCode: 1, reason, log });
  }
}

/** @param {GeneratorFlags} flags */
function asArguments({ environment, scenarioName, insecure }) {
  return [
    ...(environment ? ['--environment', environment] : []),
    ...(scenarioName ? ['--scenario-name', scenarioName] : []),
    ...(insecure ? ['--insecure'] : []),
  ];
}

/**
 * JSON that Artillery's YAML parser accepts: the parser refuses some raw control characters.
 * @param {unknown} script
 */
export function serializeScript(script) {
  return escapeUnicode(JSON.stringify(script));
}
