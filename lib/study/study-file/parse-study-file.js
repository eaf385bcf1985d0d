/** YAML of a study file → plain data, and where everything stands in it. */
import { isAlias, isCollection, isMap, isSeq, LineCounter, parseDocument, visit } from 'yaml';
import { LoadflameError } from '../../errors.js';
import { quoteTemplates } from '../../quote-templates.js';

/** What aliases may blow up to; a study file uses a few. */
const MAX_ALIASES = 200;
/** Written out, so aliases included. Hand-written files have some kilobytes. */
const MAX_CHARS = 1_000_000;

/** @typedef {(string | number)[]} Path */

/**
 * @typedef {object} ParsedFile
 * @property {Record<string, any>} data
 * @property {(path: Path, isKey: boolean) => {at: string, isExact: boolean}} locate `file:line:column`
 *   of a value or its key, or of the nearest thing around it
 */

/**
 * @param {string} text
 * @param {string} file as the user named it, for errors
 * @returns {ParsedFile}
 * @throws {LoadflameError} STUDY_SYNTAX
 */
export function parseStudyFile(text, file) {
  const lines = new LineCounter();
  /** @param {number} offset */
  const position = offset => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${Math.max(line, 1)}:${Math.max(col, 1)}`;
  };
  /** @param {number} offset @param {string} problem @param {unknown} [cause] */
  const complain = (offset, problem, cause) =>
    new LoadflameError('STUDY_SYNTAX', { at: position(offset), problem }, { cause });
  if (text.length > MAX_CHARS) throw complain(0, `more than ${MAX_CHARS / 1e6} MB of text`);
  const document = parseDocument(text, { lineCounter: lines, merge: true, prettyErrors: false });
  const [error] = document.errors;
  if (error) throw complain(error.pos[0], error.message.replace(/\.$/, ''));
  quoteTemplates(document);
  refuseStrangeKeys(document, complain);
  let data;
  try {
    data = document.toJS({ maxAliasCount: MAX_ALIASES });
    // Aliases share what they stand for, and may even hold themselves: a copy is a plain tree.
    const written = JSON.stringify(data) ?? 'null';
    if (written.length > MAX_CHARS) throw new RangeError('its aliases stand for too much');
    data = JSON.parse(written);
  } catch (cause) {
    const [problem = ''] = /** @type {Error} */ (cause).message.split('\n');
    throw complain(0, problem, cause);
  }
  if (data === null || typeof data !== 'object' || Array.isArray(data))
    throw complain(0, 'a study file is a map with title, target, scenario and load');
  return {
    data,
    locate: (path, isKey) => {
      for (let length = path.length; length > 0; length--) {
        const node = findNode(document, path.slice(0, length), isKey && length === path.length);
        if (node?.range) return { at: position(node.range[0]), isExact: length === path.length };
      }
      return { at: position(document.contents?.range?.[0] ?? 0), isExact: path.length === 0 };
    },
  };
}

/**
 * @param {import('yaml').Document} document
 * @param {(offset: number, problem: string) => LoadflameError} complain
 */
function refuseStrangeKeys(document, complain) {
  visit(document, {
    Pair(_, { key }) {
      const node = /** @type {{range?: number[], value?: unknown} | null} */ (key);
      const offset = node?.range?.[0] ?? 0;
      if (isCollection(key)) throw complain(offset, 'a list or a map can not be a key');
      if (node?.value === '__proto__') throw complain(offset, '__proto__ can not be a key');
    },
  });
}

/**
 * @param {import('yaml').Document} document @param {Path} path @param {boolean} isKey of the last step
 * @returns {{range?: [number, number, number] | null} | null}
 */
function findNode(document, path, isKey) {
  /** @type {any} */
  let node = document.contents;
  for (const [index, step] of path.entries()) {
    if (isAlias(node)) node = node.resolve(document);
    if (isMap(node)) {
      const pair = node.items.find(
        ({ key }) => String(/** @type {any} */ (key)?.value) === String(step),
      );
      if (!pair) return null;
      const isLast = index === path.length - 1;
      // A map or list begins below its key: the key is where one looks for it.
      const asKey = isKey || !pair.value || isCollection(pair.value);
      node = isLast && asKey ? pair.key : pair.value;
    } else if (isSeq(node)) node = node.items[Number(step)];
    else return null;
  }
  return node ?? null;
}

/** `services.api.ready`, `load.steps[3]` (from 1, as people count) @param {Path} path */
export function formatPath(path) {
  if (path.length === 0) return 'the file';
  return path
    .map((step, index) => {
      if (typeof step === 'number') return `[${step + 1}]`;
      return index === 0 ? step : `.${step}`;
    })
    .join('');
}
