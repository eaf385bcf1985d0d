/** Short loads against servers of the test, on our engine or on Artillery's. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { listGroups } from '../../lib/base/config/endpoint-names.js';
import { createRedactor } from '../../lib/base/files/redaction.js';
import { prepareLoad, startLoad } from '../../lib/load/start-load.js';
import { readNdjson } from '../../lib/run/ndjson.js';
import { createRunFolder } from '../../lib/run/run-folder.js';

/** @param {import('node:test').TestContext} t */
export function makeFolder(t) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'loadflame-load-test-'));
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

/**
 * Settings as lib/base/config gives them.
 * @param {Record<string, string>} values
 * @param {Record<string, string>} [secrets]
 */
export function makeSettings(values, secrets = {}) {
  const all = [
    ...Object.entries(values).map(([name, text]) => ({ name, text, secret: false })),
    ...Object.entries(secrets).map(([name, text]) => ({ name, text, secret: true })),
  ];
  return {
    /** @param {string} name */
    get: name => {
      const text = all.find(item => item.name === name)?.text ?? null;
      return name === 'ENDPOINTS' && text ? listGroups(text) : text;
    },
    /** @param {string} name */
    isSet: name => name in values || name in secrets,
    all,
    secrets: Object.values(secrets),
  };
}

/** A token source whose tokens the test changes. @param {string[]} [initial] */
export function makeTokens(initial = []) {
  let tokens = initial;
  /** @type {Set<() => void>} */
  const listeners = new Set();
  return {
    tokens: () => tokens,
    /** @param {() => void} listener */
    onChange: listener => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    /** @param {string[]} newest */
    renew(newest) {
      tokens = newest;
      for (const listener of listeners) listener();
    },
  };
}

/**
 * @param {string} folder
 * @param {object} load
 * @param {string} load.script YAML
 * @param {Record<string, string>} load.settings
 * @param {Record<string, string>} [load.secrets]
 * @param {Record<string, string>} [load.files] beside the script
 * @param {number} [load.workers]
 * @param {ReturnType<typeof makeTokens>} [load.tokens]
 * @param {import('../../lib/load/load.d.ts').LoadOptions} [load.options]
 * @param {AbortSignal} [load.signal]
 */
export async function startTestLoad(folder, load) {
  mkdirSync(folder, { recursive: true });
  const script = path.join(folder, 'script.yaml');
  writeFileSync(script, load.script);
  for (const [name, text] of Object.entries(load.files ?? {})) {
    writeFileSync(path.join(folder, name), text);
  }
  const settings = makeSettings({ SOCKETIO_COOKIE: 'oidc-jwt', ...load.settings }, load.secrets);
  const options = { ...load.options, ...(load.workers && { workers: load.workers }) };
  const prepared = prepareLoad(script, settings, options);
  const files = createRunFolder(path.join(folder, 'runs'), 'test');
  const redactor = createRedactor(settings.secrets);
  const tokens = load.tokens ?? null;
  const heard = {
    notes: /** @type {string[]} */ ([]),
    lines: /** @type {string[]} */ ([]),
    progress: /** @type {import('../../lib/load/messages.js').LoadProgress[]} */ ([]),
  };
  const running = await startLoad({
    prepared,
    settings,
    files,
    redactor,
    tokens,
    options,
    say: {
      onNote: text => heard.notes.push(text),
      onLog: line => heard.lines.push(line),
      onProgress: progress => heard.progress.push(progress),
    },
    signal: load.signal,
  });
  return { running, files, prepared, heard };
}

/** @param {import('../../lib/run/run-folder.js').RunFiles} files */
export async function readLoad(files) {
  const { records } = await readNdjson(files.metrics);
  const { records: errors } = await readNdjson(files.errors);
  /** @type {Record<string, number>} */
  const counters = {};
  /** @type {Record<string, {requests: number, errors: number, codes: Record<string, number>}>} */
  const endpoints = {};
  for (const record of records.filter(({ kind }) => kind === 'second')) {
    for (const [name, n] of Object.entries(record.counters)) {
      counters[name] = (counters[name] ?? 0) + Number(n);
    }
    for (const [name, value] of Object.entries(record.endpoints)) {
      const sum = endpoints[name] ?? { requests: 0, errors: 0, codes: {} };
      endpoints[name] = sum;
      sum.requests += value.requests;
      sum.errors += value.errors;
      for (const [code, answers] of Object.entries(value.statuses)) {
        sum.codes[code] = (sum.codes[code] ?? 0) + Number(answers.count);
      }
    }
  }
  return { records, errors, counters, endpoints };
}
