/**
 * Rows of CSV files for one worker: every n-th one, so that no two workers have the same; with fewer
 * rows than workers, rows are repeated (Artillery: dist.ts).
 * @param {Record<string, any>} script prepared
 * @param {import('../pacing/schedule.js').Share} share
 * @returns {Record<string, any>} a copy as far as it differs
 */
export function dividePayload(script, { index, of }) {
  const { config } = script;
  if (!Array.isArray(config.payload)) return script;
  const payload = config.payload.map((/** @type {Record<string, any>} */ spec) => {
    const data = spec.data ?? [];
    const own = index % Math.max(1, data.length);
    return {
      ...spec,
      data: data.filter((/** @type {any} */ _, /** @type {number} */ i) => i % of === own),
    };
  });
  return { ...script, config: { ...config, payload } };
}
