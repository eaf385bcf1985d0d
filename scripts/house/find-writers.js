/** Where code opens a file for writing, or makes a folder, by Node's own functions. */

const WRITER =
  /(?<!function )(?<!\w)(?:(?:write|append|copy|truncate)File(?:Sync)?|createWriteStream|cp(?:Sync)?|mkd(?:ir|temp)(?:Sync)?|symlinkSync|linkSync|truncateSync)(?=\()/g;
const OPEN = /(?<!\w)(?:openSync|await open)\(\w+, $/;

/**
 * @param {import('./read-code.js').Code} source
 * @returns {string[]} names of functions
 */
export function findWriters({ code, texts }) {
  const opens = [...code.matchAll(/(?<!\w)(?:openSync|await open)(?=\()/g)];
  const reads = texts.filter(({ text, at }) => text === 'r' && OPEN.test(code.slice(0, at)));
  const writes = opens.length > reads.length ? ['openSync'] : [];
  return [...[...code.matchAll(WRITER)].map(([name]) => name), ...writes];
}
