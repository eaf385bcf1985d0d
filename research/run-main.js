/** The program of a bench: what it says beside its result, and how it ends. */

/** @param {string} line */
export const say = line => process.stderr.write(`${line}\n`);

/** @param {() => Promise<number>} main gives the exit code */
export async function runMain(main) {
  try {
    process.exitCode = await main();
  } catch (error) {
    say(`error: ${/** @type {Error} */ (error).message}`);
    process.exitCode = 1;
  }
}
