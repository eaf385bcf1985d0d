/** Axes over steps of load. */

/** @typedef {{isLog: boolean, low: number, high: number, ticks: number[]}} LoadScale */

/**
 * Logarithmic (base 2) where steps grow by factors, so that each has its room; its ticks are the steps.
 * @param {number[]} steps ascending
 * @returns {LoadScale}
 */
export function scaleOfSteps(steps) {
  const low = steps[0] ?? 0;
  const high = steps.at(-1) ?? 1;
  const isLog = low > 0 && steps.length > 2 && high / low >= 8;
  if (!isLog) return { isLog, low: 0, high: high * 1.06, ticks: steps };
  const edge = (high / low) ** 0.04;
  return { isLog, low: low / edge, high: high * edge, ticks: steps };
}

/**
 * Latency needs a logarithmic axis where its values lie more than a factor of twenty apart.
 * @param {number[]} values
 * @returns {{isLog: boolean, low: number, high: number}}
 */
export function scaleOfTimes(values) {
  const known = values.filter(value => value > 0);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  if (known.length === 0) return { isLog: false, low: 0, high: 1 };
  if (high / low <= 20) return { isLog: false, low: 0, high };
  return {
    isLog: true,
    low: 10 ** Math.floor(Math.log10(low)),
    high: 10 ** Math.ceil(Math.log10(high)),
  };
}
