/** Programs that import the companion, and what they report. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isAct } from '../../lib/run/acts.js';
import { FIXTURES, PYTHON } from './gunicorn.js';
import { COMPANION } from './joined-companion.js';

export const APP = path.join(FIXTURES, 'companion_calls.py');

/** Calls alone: libraries import and compile when they are used first. @param {string} key @param {any} value */
const withoutActs = (key, value) =>
  key === 'calls' && Array.isArray(value) ? value.filter(one => !isAct(one[6] ?? 'sql')) : value;

/** @param {string[]} args @param {Record<string, string>} [env] @param {string} [program] */
export const python = (args, env = {}, program = PYTHON) =>
  JSON.parse(
    execFileSync(program, ['-B', ...args], {
      env: { PATH: process.env.PATH, PYTHONPATH: COMPANION, LOADFLAME: '1', ...env },
    }).toString(),
    withoutActs,
  );

/** What the responses to requests report; each call with what its id stands for. @param {string[]} paths */
export const ask = (...paths) => nameCalls(python([APP, ...paths]));

/** @param {any[]} responses in their order */
export function nameCalls(responses) {
  /** @type {Record<string, any>} */
  const named = {};
  return responses.map((/** @type {any} */ told) => {
    Object.assign(named, told?.named);
    return told?.calls.map((/** @type {any[]} */ [id, n, us, rows, openUs, bins]) => {
      assert.ok(us >= 0 && openUs === 0, `${us} ${openUs}`);
      assert.equal(
        bins.reduce(
          (/** @type {number} */ sum, /** @type {number[]} */ bin) => sum + (bin[1] ?? 0),
          0,
        ),
        n,
      );
      const { text, line, function: name, relation, file, kind, system } = named[id];
      assert.deepEqual([file, kind, system], ['companion_calls.py', 'sql', 'sqlite']);
      return { n, rows, text, line, name, relation };
    });
  });
}

/** @param {string} text in the app's source */
export const lineOf = text =>
  readFileSync(APP, 'utf8')
    .split('\n')
    .findIndex(line => line.includes(text)) + 1;
