/** Things that go to places by chance. */
import { createRandom } from './random.js';
import { mean, most, quantile } from './summary.js';

const TRIALS = 2000;
/** Draws in all: an estimate of many things needs fewer trials. */
const MOST_DRAWS = 400_000;

/**
 * How much the fullest of `places` gets where each of `things` goes to one of them, all alike: by simulation (the
 * maximum of a multinomial has no short form).
 * @param {number} things at least 1
 * @param {number} places at least 1
 * @returns {{mean: number, high: number}} shares; `high`: exceeded in one of a hundred trials
 */
export function fullestShare(things, places) {
  const random = createRandom(1);
  const trials = Math.max(200, Math.min(TRIALS, Math.floor(MOST_DRAWS / things)));
  const shares = Array.from({ length: trials }, () => {
    const counts = new Array(places).fill(0);
    for (let thing = 0; thing < things; thing++) counts[Math.floor(random() * places)] += 1;
    return most(counts) / things;
  });
  return { mean: mean(shares), high: quantile(shares, 0.99) };
}
