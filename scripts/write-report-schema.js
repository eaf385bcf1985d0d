/**
 * Writes `lib/analysis/report.schema.json` and `lib/study/study-report.schema.json` from the `.d.ts`
 * files beside them and those that they take types from, so that they can't part:
 * `node scripts/write-report-schema.js`. A test fails while a file is out of date.
 * It reads the few forms that the reports use: interfaces, unions, literals, arrays, `Record`,
 * the type of a field.
 */
import { readFileSync, writeFileSync } from 'node:fs';

/**
 * What has a schema: the interface that is the document, the file of its types, and the schema's.
 * @typedef {{root: string, types: URL, schema: URL}} Document
 */

/** @type {Document} */
export const REPORT = {
  root: 'Report',
  types: new URL('../lib/analysis/report.d.ts', import.meta.url),
  schema: new URL('../lib/analysis/report.schema.json', import.meta.url),
};
/** @type {Document} */
export const STUDY_REPORT = {
  root: 'StudyReport',
  types: new URL('../lib/study/study-report.d.ts', import.meta.url),
  schema: new URL('../lib/study/study-report.schema.json', import.meta.url),
};

/** @typedef {Record<string, any>} Schema */

/**
 * @param {string} source text of a `.d.ts` file
 * @param {string} [root] the interface that is the document
 * @returns {Schema} a JSON Schema 2020-12
 * @throws {SyntaxError} for a form that is not known here
 */
export function buildReportSchema(source, root = REPORT.root) {
  const tokens = source.match(/\/\*\*[\s\S]*?\*\/|\/\/.*|'[^']*'|\w+|\S/g) ?? [];
  const code = tokens.filter(token => !token.startsWith('//'));
  let at = 0;
  /** @type {Record<string, Schema>} */
  const definitions = {};
  const version = /schema: '([^']+)'/.exec(source)?.[1];

  /** @param {string} token */
  const expect = token => {
    if (code[at++] !== token) throw new SyntaxError(`"${token}" expected, not "${code[at - 1]}"`);
  };
  const readComment = () => {
    let text;
    while (code[at]?.startsWith('/**')) text = plainComment(code[at++] ?? '');
    return text;
  };

  /** @returns {Schema} */
  const readObject = () => {
    expect('{');
    /** @type {Record<string, Schema>} */
    const properties = {};
    /** @type {string[]} */
    const required = [];
    for (let about = readComment(); code[at] !== '}'; about = readComment()) {
      const name = code[at++] ?? '';
      if (code[at] === '?') at++;
      else required.push(name);
      expect(':');
      properties[name] = about ? { description: about, ...readUnion() } : readUnion();
      if (code[at] === ';') at++;
    }
    at++;
    return { type: 'object', properties, required, additionalProperties: false };
  };

  /** @returns {Schema} */
  const readUnion = () => {
    if (code[at] === '|') at++;
    const options = [readArray()];
    while (code[at] === '|') {
      at++;
      options.push(readArray());
    }
    return options.length === 1 ? /** @type {Schema} */ (options[0]) : uniteSchemas(options);
  };

  const readArray = () => {
    let schema = readSingle();
    while (code[at] === '[') {
      at++;
      // `Type['field']` is what that field holds
      const field = /^'(\w+)'$/.exec(code[at] ?? '')?.[1];
      if (field) at++;
      expect(']');
      schema = field
        ? { $ref: `${schema.$ref}/properties/${field}` }
        : { type: 'array', items: schema };
    }
    return schema;
  };

  /** @returns {Schema} */
  const readSingle = () => {
    const token = code[at] ?? '';
    if (token === '{') return readObject();
    at++;
    if (token === '(') {
      const inside = readUnion();
      expect(')');
      return inside;
    }
    if (token.startsWith("'")) return { const: token.slice(1, -1) };
    if (['string', 'number', 'boolean', 'null'].includes(token)) return { type: token };
    if (token === 'Record') {
      for (const part of ['<', 'string', ',']) expect(part);
      const values = readUnion();
      expect('>');
      return { type: 'object', additionalProperties: values };
    }
    if (/^[A-Z]\w+$/.test(token)) return { $ref: `#/$defs/${token}` };
    throw new SyntaxError(`"${token}" is a form that this script does not know`);
  };

  for (let about = readComment(); at < code.length; about = readComment()) {
    expect('export');
    const form = code[at++];
    const name = code[at++] ?? '';
    if (form === 'type') expect('=');
    const schema = form === 'type' ? readUnion() : readObject();
    if (code[at] === ';') at++;
    definitions[name] = about ? { description: about, ...schema } : schema;
  }
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:${version?.replace('/', ':')}`,
    title: version,
    $ref: `#/$defs/${root}`,
    $defs: definitions,
  };
}

/** @param {Schema[]} options @returns {Schema} */
function uniteSchemas(options) {
  if (options.every(option => 'const' in option)) {
    return { enum: options.map(option => option.const) };
  }
  if (options.every(option => Object.keys(option).join() === 'type')) {
    return { type: options.map(option => option.type) };
  }
  return { anyOf: options };
}

/** @param {string} comment */
function plainComment(comment) {
  return comment
    .replace(/^\/\*\*|\*\/$/g, '')
    .replace(/^\s*\* ?/gm, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

const IMPORT = /^import type \{[^}]*\} from '([^']+)';$/gm;

/** The types of a file and of those that it imports, each once. @param {URL} file @param {Set<string>} [seen] @returns {string} */
function readTypes(file, seen = new Set()) {
  if (seen.has(file.href)) return '';
  seen.add(file.href);
  const text = readFileSync(file, 'utf8');
  const others = [...text.matchAll(IMPORT)].map(([, path = '']) => new URL(path, file));
  // What stands above its imports is about the file and not about its first type.
  const own = text.includes('import type') ? text.slice(text.indexOf('import type')) : text;
  return [own.replace(IMPORT, ''), ...others.map(other => readTypes(other, seen))].join('\n');
}

/**
 * Only the types that a document is made of: those files hold others, too.
 * @param {string} source
 * @param {string} root
 */
function pickReachable(source, root) {
  const parts = source.split(/(?=^(?:\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?export )/m);
  const byName = new Map(
    parts.flatMap(part => {
      const name = /^export (?:interface|type) (\w+)/m.exec(part)?.[1];
      return name ? [[name, part]] : [];
    }),
  );
  const reached = new Set([root]);
  for (const name of reached)
    for (const [word] of (byName.get(name) ?? '')
      .replace(/\/\*\*[\s\S]*?\*\//g, '')
      .matchAll(/\w+/g))
      if (byName.has(word)) reached.add(word);
  return [...byName].flatMap(([name, part]) => (reached.has(name) ? [part] : [])).join('\n');
}

/** The text of a schema's file, laid out as the formatter wants it. @param {Document} document @returns {string} */
export function renderReportSchema({ root, types }) {
  const schema = buildReportSchema(pickReachable(readTypes(types), root), root);
  const text = JSON.stringify(schema, null, 2).replace(
    /^(.*)\[\n([^[\]{}]+)\](,?)$/gm,
    (all, start, items, end) => {
      const line = `${start}[${items.trim().replace(/\s*\n\s*/g, ' ')}]${end}`;
      return line.length <= 100 ? line : all;
    },
  );
  return `${text}\n`;
}

if (import.meta.main)
  for (const document of [REPORT, STUDY_REPORT])
    writeFileSync(document.schema, renderReportSchema(document));
