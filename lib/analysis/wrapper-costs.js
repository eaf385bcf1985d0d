/** Decorators and middleware: what is their own, and what only passes through them. */

/**
 * @param {import('../profile/profile.d.ts').Profile} profile
 * @param {import('../hotpath/rules.d.ts').Classification} classes
 * @param {import('./profile-base.js').ProfileBase} base
 * @param {object} context
 * @param {Int32Array} context.functionOf per frame
 * @param {{function: string, file: string}[]} context.functions
 * @param {(counts: Float64Array) => import('./report.d.ts').Estimate} context.estimate
 * @returns {import('./report.d.ts').ProfileReport['wrappers']} most passed through first
 */
export function measureWrappers({ nodes }, classes, base, { functionOf, functions, estimate }) {
  /** @type {Map<number, {own: Float64Array, through: number}>} */
  const wrappers = new Map();
  const seen = new Int32Array(functions.length).fill(-1);
  let row = 0;
  base.forEachRow((leaf, weight, block) => {
    row++;
    for (let node = leaf; node >= 0; node = nodes.parent[node] ?? -1) {
      if (!classes.passthrough[node]) continue;
      const id = functionOf[nodes.frame[node] ?? 0] ?? 0;
      const wrapper = wrappers.get(id) ?? {
        own: new Float64Array(base.blockTotals.length),
        through: 0,
      };
      wrappers.set(id, wrapper);
      if (seen[id] !== row) wrapper.through += weight;
      seen[id] = row;
      if (classes.entry[leaf] === node) wrapper.own[block] = (wrapper.own[block] ?? 0) + weight;
    }
  });
  return [...wrappers]
    .sort(([, a], [, b]) => b.through - a.through)
    .map(([id, { own, through }]) => ({
      function: functions[id]?.function ?? '',
      file: functions[id]?.file ?? '',
      own: estimate(own),
      through: base.total > 0 ? through / base.total : 0,
    }));
}
