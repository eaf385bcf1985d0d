/** Of our environment what any program needs to run: proxies, settings and secrets of the user stay out. */
const NEEDED = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TMPDIR', 'TZ'];

/** @returns {Record<string, string>} */
export function pickBareEnvironment() {
  return Object.fromEntries(
    NEEDED.flatMap(name => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
