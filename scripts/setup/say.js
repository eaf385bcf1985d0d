/** @param {string} line */
export function say(line) {
  process.stderr.write(`set-up: ${line}\n`);
}
