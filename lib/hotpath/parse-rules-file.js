import { Ajv } from 'ajv';
import { LineCounter, parseDocument } from 'yaml';
import { LoadflameError } from '../errors.js';
import { splitPointer } from '../json-pointer.js';
import { RULES_SCHEMA } from './rules-schema.js';

const validate = new Ajv({ allErrors: true, strict: false }).compile(RULES_SCHEMA);

/** What `yaml` aliases may blow up to; our own files use some dozens. */
const MAX_ALIASES = 1000;

/**
 * @typedef {object} RulesFile
 * @property {any} data what the file says, of the shape of RULES_SCHEMA
 * @property {(path: (string | number)[], reason: string) => LoadflameError} complain an error that
 *   names file, line and key
 */

/**
 * @param {string} text YAML
 * @param {string} file its name, for errors
 * @returns {RulesFile}
 * @throws {LoadflameError} RULES_INVALID
 */
export function parseRulesFile(text, file) {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  /** @param {(string | number)[]} path @param {string} reason */
  const complain = (path, reason) =>
    new LoadflameError('RULES_INVALID', {
      file,
      line: lineOf(document, lines, path),
      key: formatKey(path),
      reason,
    });
  const [broken] = document.errors;
  if (broken)
    throw new LoadflameError('RULES_INVALID', {
      file,
      line: broken.linePos?.[0].line ?? 1,
      key: 'YAML',
      reason: broken.message.split('\n')[0] ?? '',
    });
  let data;
  try {
    data = document.toJS({ maxAliasCount: MAX_ALIASES }) ?? {};
  } catch (cause) {
    throw new LoadflameError(
      'RULES_INVALID',
      { file, line: 1, key: 'YAML', reason: /** @type {Error} */ (cause).message },
      { cause },
    );
  }
  if (!validate(data)) {
    const worst = pickError(validate.errors ?? []);
    const path = splitPointer(worst.instancePath, data);
    if (worst.keyword === 'additionalProperties') path.push(worst.params.additionalProperty);
    throw complain(path, explain(worst));
  }
  return { data, complain };
}

/**
 * A mistyped key explains best what is wrong; what "one of these" is made of explains nothing.
 * @param {import('ajv').ErrorObject[]} errors
 * @returns {import('ajv').ErrorObject}
 */
function pickError(errors) {
  const plain = errors.filter(({ schemaPath }) => !schemaPath.includes('/anyOf/'));
  const unknown = plain.find(({ keyword }) => keyword === 'additionalProperties');
  return /** @type {import('ajv').ErrorObject} */ (unknown ?? plain[0]);
}

/** @param {import('ajv').ErrorObject} error */
function explain({ keyword, params, message = 'is not allowed' }) {
  if (keyword === 'additionalProperties') return 'is not a key of a rules file here';
  if (keyword === 'required') return `"${params.missingProperty}" is missing`;
  if (keyword === 'enum') return `must be one of ${params.allowedValues.join(', ')}`;
  if (keyword === 'anyOf' || keyword === 'minProperties')
    return 'needs packages, files or functions';
  return message;
}

/** @param {(string | number)[]} path */
function formatKey(path) {
  if (path.length === 0) return 'the file';
  return path
    .map((part, index) =>
      typeof part === 'number' ? `[${part + 1}]` : index === 0 ? part : `.${part}`,
    )
    .join('');
}

/**
 * The line of a key; of the nearest thing around it where it has none.
 * @param {import('yaml').Document.Parsed} document @param {LineCounter} lines @param {(string | number)[]} path
 */
function lineOf(document, lines, path) {
  for (let length = path.length; length > 0; length--) {
    const holder = /** @type {any} */ (
      length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true)
    );
    const key = path[length - 1];
    const pair = holder?.items?.find?.((/** @type {any} */ item) => item?.key?.value === key);
    const node = pair?.key ?? (typeof key === 'number' ? holder?.items?.[key] : null);
    if (node?.range) return lines.linePos(node.range[0]).line;
  }
  return 1;
}
