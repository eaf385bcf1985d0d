/**
 * The steps of a load in their order; those that are run until saturation up to the last possible.
 * Users are whole, arrivals have up to two decimals.
 * @param {Pick<import('../study-file.d.ts').Load, 'model' | 'steps'>} load
 * @returns {number[]} ascending, each once; the most is always the last
 */
export function listSteps({ model, steps }) {
  if (Array.isArray(steps)) return steps;
  const { from, factor, most } = steps;
  const unit = model === 'closed' ? 1 : 0.01;
  /** @type {number[]} */
  const list = [];
  for (let step = from; step < most; step *= factor) {
    const rounded = Number((Math.round(step / unit) * unit).toFixed(2));
    if (rounded < most && rounded !== list.at(-1)) list.push(rounded);
  }
  return [...list, most];
}
