/**
 * The one rule for parts that a report can do without: when one fails, that is said, and costs neither the run nor
 * its report.
 * @template T
 * @param {string} what failed, for people
 * @param {() => T | Promise<T>} part
 * @param {(line: string) => void} say
 * @returns {Promise<T | null>} null if it failed
 */
export async function attempt(what, part, say) {
  try {
    return await part();
  } catch (error) {
    say(`${what} failed: ${/** @type {Error} */ (error).message}`);
    return null;
  }
}
