/**
 * @template T
 * @param {readonly T[]} all @param {string[]} names @param {(one: T) => string} [nameOf]
 * @returns {T[]} those with these names; all, if none is given
 * @throws {Error} if a name is unknown
 */
export function choose(all, names, nameOf = String) {
  const known = new Set(all.map(nameOf));
  const unknown = names.find(name => !known.has(name));
  if (unknown) throw new Error(`no ${unknown}; there are ${[...known].join(', ')}`);
  return all.filter(one => names.length === 0 || names.includes(nameOf(one)));
}
