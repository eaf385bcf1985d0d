/**
 * Hooks as people get them wrong. `broken` is usable in every place; the variable `shape` of the user
 * says in which way it fails.
 */
import { tell } from './collect.js';

export * from './collect.js';

/** @type {Record<string, (...args: any[]) => unknown>} the last argument is the callback, if there is one */
const SHAPES = {
  good: (...args) => args.findLast(arg => typeof arg === 'function')?.(),
  throws: () => {
    throw new Error('it throws');
  },
  throwsText: () => {
    throw 'only text';
  },
  rejects: () => Promise.reject(new Error('it rejects')),
  rejectsLater: async () => {
    await new Promise(resolve => setTimeout(resolve, 20));
    throw new Error('it rejects later');
  },
  resolves: () => Promise.resolve(),
  callsBackWithError: (...args) =>
    args.findLast(arg => typeof arg === 'function')?.(new Error('it calls back with an error')),
  neverCallsBack: () => undefined,
  neverResolves: () => new Promise(() => {}),
};

/** @param {...any} args */
export function broken(...args) {
  const context = args.find(arg => arg?.vars) ?? { vars: args[0] };
  const { shape } = context.vars;
  tell('called', { shape });
  return SHAPES[shape]?.(...args);
}

/** @type {import('./hooks.d.ts').Step} */
export const endWell = (context, _events, done) => {
  tell('ended well', { shape: context.vars.shape });
  done();
};
