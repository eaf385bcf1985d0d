/** Scripts of tests, prepared. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { LoadflameError } from '../../lib/base/errors.js';
import { prepareScript } from '../../lib/load/prepare-script.js';
import { makeFolder } from './helpers.js';

const TARGET = 'http://127.0.0.1:5000';

/**
 * A script in a folder of its own, as a run would have it.
 * @param {import('node:test').TestContext} t
 * @param {string} text
 * @param {object} [options]
 * @param {Record<string, string>} [options.files]
 * @param {Record<string, string>} [options.env]
 * @param {string | null} [options.target]
 * @param {string} [options.name]
 * @param {import('../../lib/load/prepare-script.js').ScriptOptions} [options.flags]
 */
export function prepare(
  t,
  text,
  { files = {}, env = {}, target = TARGET, name = 's.yaml', flags } = {},
) {
  const folder = makeFolder(t);
  for (const [file, content] of Object.entries({ ...files, [name]: text })) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), content);
  }
  return { folder, ...prepareScript(path.join(folder, name), { env, target }, flags) };
}

/**
 * @param {() => unknown} action
 * @param {string} code
 * @param {RegExp} text matches message and hint
 */
export function refuses(action, code, text) {
  assert.throws(action, error => {
    assert.ok(error instanceof LoadflameError, String(error));
    assert.equal(error.code, code);
    assert.match(`${error.message}\n${error.hint}`, text);
    return true;
  });
}

export const FLOW = 'scenarios: [{ flow: [{ get: { url: / } }] }]\n';
