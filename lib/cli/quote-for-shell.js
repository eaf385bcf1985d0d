/** A word as a POSIX shell takes it, whatever it holds. @param {string} word */
export function quoteForShell(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
