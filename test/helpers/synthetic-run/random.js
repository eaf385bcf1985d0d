/** Numbers that look random and are the same for the same seed. */

const TWO_PI = 2 * Math.PI;
/** From here on a normal distribution is as good as Poisson's. */
const MANY = 60;

/** @param {number} seed a whole number */
export function createRandom(seed) {
  let state = Math.imul(seed + 1, 0x9e3779b1) | 0;

  /** Uniform in 0 … 1, 1 excluded (mulberry32). */
  const uniform = () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };

  /** Of mean 0 and standard deviation 1 (Box, Muller 1958). */
  const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(TWO_PI * uniform());

  /** How often something happens that happens `mean` times on average. @param {number} mean */
  const poisson = mean => {
    if (!(mean > 0)) return 0;
    if (mean > MANY) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal()));
    const limit = Math.exp(-mean);
    let count = 0;
    for (let product = uniform(); product > limit; product *= uniform()) count++;
    return count;
  };

  /** How many of `n` have a property of probability `p`. @param {number} n @param {number} p */
  const binomial = (n, p) => {
    if (n * p * (1 - p) > MANY) {
      const value = Math.round(n * p + Math.sqrt(n * p * (1 - p)) * normal());
      return Math.min(n, Math.max(0, value));
    }
    let count = 0;
    for (let i = 0; i < n; i++) if (uniform() < p) count++;
    return count;
  };

  return {
    uniform,
    normal,
    poisson,
    binomial,
    /** A factor around 1 whose mean is 1. @param {number} sigma of its logarithm; 0: always 1 */
    factor: sigma => (sigma > 0 ? Math.exp(sigma * normal() - (sigma * sigma) / 2) : 1),
    /** @param {number} limit @returns {number} a whole number from 0, `limit` excluded */
    below: limit => Math.floor(uniform() * limit),
    /** `n` things over boxes. @param {number} n @param {number[]} shares that sum to 1 */
    divide(n, shares) {
      let [left, rest] = [n, 1];
      return shares.map(share => {
        const count = rest <= share ? left : binomial(left, share / rest);
        left -= count;
        rest -= share;
        return count;
      });
    },
  };
}

/** @typedef {ReturnType<typeof createRandom>} Random */
