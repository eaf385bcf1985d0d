/** Of our environment what any program needs to run: proxies, settings and secrets of the user stay out. */
const NEEDED = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TMPDIR', 'TZ'];

/** Names of settings that are secret. @type {Set<string>} */
const hidden = new Set();

/** They are for us alone: no program that we start inherits them. @param {string[]} names */
export function hideFromPrograms(names) {
  for (const name of names) hidden.add(name);
}

/**
 * Options of a program that sees our environment without what is hidden.
 * @param {Record<string, string | undefined>} [more] beside it
 */
export function inheritEnvironment(more) {
  const seen = Object.entries(process.env).filter(([name]) => !hidden.has(name));
  return { env: { ...Object.fromEntries(seen), ...more }, extendEnv: false };
}

/** @returns {Record<string, string>} */
export function pickBareEnvironment() {
  return Object.fromEntries(
    NEEDED.flatMap(name => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
