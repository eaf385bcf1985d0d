/**
 * Which hot paths are told one by one: those with something new to say, and the first few; the others,
 * whose causes were told with a larger one, are only listed. The order stays.
 * @template {{flagged: boolean, causes: string[]}} Path
 * @param {Path[]} paths biggest first
 * @param {number} few
 * @returns {{large: Path[], small: Path[]}}
 */
export function splitPaths(paths, few) {
  /** @type {Set<string>} */
  const told = new Set();
  const large = paths.filter(({ flagged, causes }, index) => {
    const isNew = causes.some(id => !told.has(id)) || (flagged && causes.length === 0);
    for (const id of causes) told.add(id);
    return isNew || index < few;
  });
  return { large, small: paths.filter(path => !large.includes(path)) };
}
