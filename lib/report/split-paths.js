/**
 * Which hot paths are told one by one: those with something to say, and the first few; the others
 * are only listed. The order stays.
 * @template {{flagged: boolean, causes: unknown[]}} Path
 * @param {Path[]} paths biggest first
 * @param {number} few
 * @returns {{large: Path[], small: Path[]}}
 */
export function splitPaths(paths, few) {
  const large = paths.filter(
    ({ flagged, causes }, index) => flagged || causes.length > 0 || index < few,
  );
  return { large, small: paths.filter(path => !large.includes(path)) };
}
