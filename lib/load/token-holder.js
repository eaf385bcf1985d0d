/** Holds the access tokens of a thread: always the newest, and each user keeps its own. */

/** @import { ScriptConfig } from './script.d.ts' */

const USER = Symbol('index of the token');

/** @param {string[]} [initial] @param {number} [first] to be assigned: workers begin at different users */
export function createTokenHolder(initial = [], first = 0) {
  let tokens = initial;
  let next = first;
  return {
    /** @param {string[]} newest one per configured user, in the same order as before */
    replace(newest) {
      tokens = newest;
    },
    /** All tokens, for a thread that starts late. */
    all: () => tokens,
    /**
     * The token for a virtual user; null if none are configured or the scenario opts out
     * (`loadflame: {auth: false}` at the scenario or in `config`).
     * @param {any} context Artillery's context of a virtual user
     * @param {ScriptConfig} config
     * @returns {string | null}
     */
    pick(context, config) {
      if (tokens.length === 0) return null;
      if ((context.scenario?.loadflame ?? config.loadflame)?.auth === false) return null;
      context[USER] ??= next++;
      return tokens[context[USER] % tokens.length] ?? null;
    },
  };
}

/** @typedef {ReturnType<typeof createTokenHolder>} TokenHolder */
