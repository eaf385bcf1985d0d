import { readFileSync } from 'node:fs';
import path from 'node:path';

const IMPORT = /^import (\{[^}]*\}) from '(\.[^']+)';\n/gm;
/** Comments on their own lines, and types within them, for readers of the source and the type checker. */
const COMMENT = /^ *(?:\/\*\*(?:(?!\*\/).)*\*\/|\/\/[^\n]*)\n|\/\*\* @type \{[^\n]*?\} \*\/ /gms;
const EXPORT = /^export (?=(?:(?:async )?function\*?|const|class) (\w+))/gm;

/**
 * Joins a module and all its imports into the text of one module: each imported module becomes a
 * function that returns its exports. This needs modules without circular imports that use only two forms,
 * `import { a, b } from './c.js'` and `export function|const|class`, as the page's modules do; a function may be a generator.
 * @param {string} entry path of the module that starts everything
 * @returns {string}
 * @throws {SyntaxError} when a module uses another form of import or export
 */
export function inlineModules(entry) {
  /** @type {Map<string, string>} path → name of its exports */
  const names = new Map();
  /** @type {string[]} in the order of execution */
  const texts = [];
  /** @param {string} file */
  const read = file => {
    const source = readFileSync(file, 'utf8');
    const text = source
      .replace(IMPORT, (_, imported, target) => {
        const from = add(path.resolve(path.dirname(file), target));
        return `const ${imported.replaceAll(' as ', ': ')} = ${from};\n`;
      })
      .replace(COMMENT, '')
      .replace(EXPORT, '')
      .trim();
    const left = /^(?:import|export)\b.*/m.exec(text);
    if (left) throw new SyntaxError(`${file} uses a form that can't be inlined: ${left[0].trim()}`);
    const exported = [...source.matchAll(EXPORT)].map(([, name]) => name);
    return { text, exported };
  };
  /** @param {string} file */
  const add = file => {
    const known = names.get(file);
    if (known) return known;
    const { text, exported } = read(file);
    const name = `module${names.size}`;
    names.set(file, name);
    texts.push(`const ${name} = (() => {\n${text}\nreturn { ${exported.join(', ')} };\n})();`);
    return name;
  };
  const { text } = read(path.resolve(entry));
  return `${[...texts, text].join('\n\n')}\n`;
}
