/**
 * The block `config.loadflame` of a script: the variables that it takes from settings, and conditions that the target
 * must meet before any load is sent (docs/scenarios.md).
 */

import {
  duration,
  httpUrl,
  id,
  matchingText,
  text,
  wholeNumber,
} from '../../base/config/parsers.js';
import { OWN_PREFIX, SETTINGS } from '../../base/config/settings.js';
import { LoadflameError } from '../../base/errors.js';
import { compileShape } from '../../base/files/check-shape.js';
import { formatPath, isPlain } from '../../base/files/read-yaml.js';
import { tryOr } from '../../base/files/try-or.js';
import { readScript } from '../../load/script/read-script.js';
import SCHEMA from './block-form.schema.json' with { type: 'json' };

/** @import { Parser } from '../../base/config/parsers.js' */
/** @import { Variable } from '../../base/config/read-config.js' */
/** @import { Path } from '../../base/files/read-yaml.js' */
/** @import { ScriptOptions } from '../../load/prepare-script.js' */

/**
 * @typedef {object} ScenarioCheck
 * @property {string | null} name what must exist, such as `room {{ $env.ROOM_ID }}`
 * @property {string} get a path of the target
 * @property {{status?: number, json?: string, value?: unknown}} expect
 * @property {boolean} optional skip the check if the target lacks this path
 * @property {string | null} hint what to do if it fails
 * @property {string} at its position in the file
 */

/**
 * @typedef {object} ScenarioBlock
 * @property {string} file as the user named it
 * @property {string | null} target of the script, as written
 * @property {boolean} isExample `doctor` skips it if the user has scripts of their own
 * @property {Variable[]} variables
 * @property {ScenarioCheck[]} checks
 */

/** @type {Record<string, Parser<any>>} */
const TYPES = {
  text,
  id,
  number: wholeNumber(0, Number.MAX_SAFE_INTEGER),
  duration: duration(0, 604_800),
  url: httpUrl,
};

const SETTING_NAMES = SETTINGS.map(({ name }) => name);

const FORMATS = {
  variable: {
    test: (/** @type {string} */ name) =>
      SETTING_NAMES.includes(name) || (/^[A-Z][A-Z0-9_]*$/.test(name) && !OWN_PREFIX.test(name)),
    allowed:
      "a name of capital letters, digits and _, without a prefix of loadflame's own (OIDC_, GUNICORN_ …)",
  },
  regex: {
    test: (/** @type {string} */ source) => tryOr(false, () => Boolean(new RegExp(source))),
    allowed: 'a regular expression of JavaScript',
  },
  path: {
    test: (/** @type {string} */ path) => /^\/(?!\/)/.test(path),
    allowed: 'a path of the target, such as /health',
  },
  jsonPath: {
    test: (/** @type {string} */ path) => /^\$(\.[\w-]+|\[(\d+|\*)\])*$/.test(path),
    allowed: 'a path in JSON, such as $.status or $.items[*].id',
  },
};

const PAGE = 'docs/scenarios.md';
const ABOUT = { what: '`config.loadflame`', page: PAGE, formats: FORMATS };
const { config, scenario } = SCHEMA.properties;
const findBlockMistake = compileShape(config, ABOUT);
const findScenarioMistake = compileShape(scenario, { what: '`loadflame`', page: PAGE });

/**
 * @param {string} file
 * @param {ScriptOptions} [options] options of the load, which can change the block
 * @returns {ScenarioBlock}
 * @throws {LoadflameError} SCRIPT_NOT_FOUND, SCRIPT_FORMAT, SCRIPT_SYNTAX, SCRIPT_INVALID
 */
export function readScenarioBlock(file, options = {}) {
  const source = readScript(file, options);
  const { script } = source;
  if (!isPlain(script.config))
    return { file, target: null, isExample: false, variables: [], checks: [] };

  /**
   * @param {Path} base
   * @param {unknown} data
   * @param {typeof findBlockMistake} findMistake
   */
  const check = (base, data, findMistake) => {
    const mistake = findMistake(data);
    if (!mistake) return;
    const { path, problem, change, isKey } = mistake;
    const at = source.locate([...base, ...path], isKey);
    const key = formatPath([...base, ...path]);
    throw new LoadflameError('SCRIPT_INVALID', { at, problem: `${key} ${problem}`, change });
  };
  const { target = null, loadflame: block } = script.config;
  if (block !== undefined) check(['config', 'loadflame'], block, findBlockMistake);
  for (const [index, scenario] of [script.scenarios ?? []].flat().entries()) {
    const base = ['scenarios', index, 'loadflame'];
    if (scenario?.loadflame !== undefined) check(base, scenario.loadflame, findScenarioMistake);
  }
  return {
    file,
    target,
    isExample: block?.example === true,
    variables: Object.entries(block?.variables ?? {}).map(([name, variable]) =>
      buildVariable(name, variable, file),
    ),
    checks: (block?.checks ?? []).map((/** @type {any} */ check, /** @type {number} */ index) => ({
      ...{ name: null, expect: {}, optional: false, hint: null, ...check },
      at: source.locate(['config', 'loadflame', 'checks', index]),
    })),
  };
}

/**
 * @param {string} name
 * @param {Record<string, any>} variable
 * @param {string} file
 * @returns {Variable}
 */
function buildVariable(name, { about = '', type = 'text', pattern, secret, ...rest }, file) {
  return {
    name,
    about,
    parser: pattern === undefined ? (TYPES[type] ?? text) : matchingText(pattern),
    ...(rest.default !== undefined && { default: String(rest.default) }),
    ...(secret && { secret }),
    declaredBy: file,
  };
}
