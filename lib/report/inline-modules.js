import { readFileSync } from 'node:fs';
import path from 'node:path';

const IMPORT = /^import \{[^}]*\} from '(\.[^']+)';\n/gm;
/** Of types, for the checker alone. */
const TYPES = /^ *\/\*\* @(?:import|param|returns|type|typedef|template) .* \*\/\n/gm;
const EXPORT = /^export (?=(?:async )?function |const |class )/gm;

/**
 * Joins a module and all that it imports into the text of one module: imports first, import and
 * export words taken out. That works for modules that keep to two forms, `import { a, b } from './c.js'`
 * and `export function|const|class`, and whose top-level names differ; the page's modules do.
 * @param {string} entry path of the module that starts everything
 * @returns {string}
 * @throws {SyntaxError} when a module uses another form of import or export
 */
export function inlineModules(entry) {
  /** @type {Map<string, string>} path → text, in the order of execution */
  const texts = new Map();
  /** @param {string} file @param {string[]} trail */
  const add = (file, trail) => {
    if (texts.has(file) || trail.includes(file)) return;
    const source = readFileSync(file, 'utf8');
    for (const [, target = ''] of source.matchAll(IMPORT))
      add(path.resolve(path.dirname(file), target), [...trail, file]);
    const text = source.replace(IMPORT, '').replace(TYPES, '').replace(EXPORT, '').trim();
    const left = /^(?:import|export)\b.*/m.exec(text);
    if (left) throw new SyntaxError(`${file} uses a form that can't be inlined: ${left[0].trim()}`);
    texts.set(file, text);
  };
  add(path.resolve(entry), []);
  return `${[...texts.values()].join('\n\n')}\n`;
}
