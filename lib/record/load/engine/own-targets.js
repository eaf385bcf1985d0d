/** Where users send to: to the one target, or to one of several, which they take in turn. */

/**
 * @param {Record<string, any>} config of the script
 * @param {{vars: Record<string, any>}} context of the user
 * @returns {string} the address that paths are below
 */
export function targetOf({ target, loadflame }, { vars }) {
  return loadflame?.targets ? vars.$target : target;
}

/**
 * Origins whose answers tell of the target, and which get the token of the run.
 * @param {Record<string, any>} config
 * @returns {Set<string>}
 */
export function originsOf({ target, loadflame }) {
  const all = [target ?? '', ...(loadflame?.targets ?? [])].filter(one => URL.canParse(one));
  return new Set(all.map(one => new URL(one).origin));
}
