/**
 * Calls functions of the processor, of any shape. Looks them up at each call (plugins add theirs late), and limits how
 * long it waits.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import { suggest } from '../../../base/files/closest.js';
import { entryOf } from '../../../base/files/maps.js';
import { nameError, ofHooks } from '../../metrics/error-samples.js';
import { fillTemplate } from './template.js';

/** @import { Scope } from '../engine.d.ts' */

/** @typedef {(...args: any[]) => any} Hook */

/** Artillery waits forever. A hook may wait for something slow: `config.loadflame.hookTimeout` sets another limit. */
const DEFAULT_TIMEOUT_SEC = 60;

/** A rest parameter, or `arguments`. */
const TAKES_ALL = /\.\.\.[\w$]+\s*\)\s*(?:=>|\{)|\barguments\b/;
/** @type {WeakMap<Hook, boolean>} */
const takeAll = new WeakMap();

/** @param {Hook} hook */
function takesAll(hook) {
  return entryOf(takeAll, hook, () => TAKES_ALL.test(Function.prototype.toString.call(hook)));
}

/**
 * A call of a hook, for errors that surface elsewhere.
 * @typedef {object} HookCall
 * @property {string} name
 * @property {(error: unknown) => boolean} fail ends the hook with an error; false if it is over
 */

/** @type {AsyncLocalStorage<HookCall>} */
const calls = new AsyncLocalStorage();

/**
 * @param {string} name
 * @param {Pick<Scope, 'config'>} scope
 * @returns {Hook} call it by `callHook`
 * @throws {Error} there is none
 */
export function requireHook(name, { config }) {
  const processor = config.processor ?? {};
  const hook = processor[name];
  if (typeof hook === 'function') return hook;
  const hint = suggest(`${name}`, Object.keys(processor));
  throw new Error(`Undefined function "${name}". ${hint}`.trim());
}

/**
 * Calls a hook that a request names, maybe by a template.
 * @param {unknown} template @param {any[]} args without the callback @param {any} context of the user
 * @param {Pick<Scope, 'config'>} scope
 */
export function callNamedHook(template, args, context, scope) {
  const name = fillTemplate(template, context);
  return callHook(name, requireHook(name, scope), args, scope);
}

/**
 * Calls a hook of any shape. It ends when its author intended:
 * - `async`, or a plain function that returns a promise: when the promise settles, or at its callback
 * - a plain function that takes a callback: when it calls back
 * - any other: when it returns
 *
 * Artillery 2.0.34 waits only for the callback of a plain function, and awaits an `async` function without passing one.
 * Scripts were written for other rules.
 * @param {string} name for the error of a hook that never calls back
 * @param {Hook} hook
 * @param {any[]} args without the callback
 * @param {Pick<Scope, 'config'>} scope
 * @param {{givesValue?: boolean}} [options] for `whileTrue`, the only kind of hook that calls back with a value
 * @returns {any} the value, if it returns one; a promise if the hook did not end immediately
 * @throws what the hook throws, rejects or calls back with
 */
export function callHook(name, hook, args, { config }, { givesValue = false } = {}) {
  /** @type {{error?: any, value?: any} | null} */
  let outcome = null;
  /** For a hook that did not end immediately. */
  let end = () => {};
  const settle = (/** @type {any} */ error, /** @type {any} */ value) => {
    if (outcome) return false;
    outcome = { error, value };
    end();
    return true;
  };
  const callback = (/** @type {any} */ result) =>
    givesValue && !(result instanceof Error) ? settle(null, result) : settle(result, undefined);
  const succeed = (/** @type {any} */ value) => void settle(null, givesValue ? value : undefined);
  const fail = (/** @type {unknown} */ error) =>
    settle(error instanceof Error ? error : new Error(`${error}`), undefined);
  try {
    const result = calls.run({ name: hook.name, fail }, () => hook(...args, callback));
    if (typeof result?.then === 'function') result.then(succeed, fail);
    else if (hook.length <= args.length && !takesAll(hook)) succeed(result);
  } catch (error) {
    fail(error);
  }
  const conclude = () => {
    const { error, value } = /** @type {{error?: any, value?: any}} */ (outcome);
    if (!error) return value;
    ofHooks.add(Object(error));
    throw error;
  };
  if (outcome) return conclude();
  const limitSec = Number(config.loadflame?.hookTimeout) || DEFAULT_TIMEOUT_SEC;
  const timer = setTimeout(
    () => fail(new Error(`hook ${name} did not call back within ${limitSec} s`)),
    limitSec * 1000,
  );
  return new Promise(resolve => {
    end = () => resolve(undefined);
  }).then(() => {
    clearTimeout(timer);
    return conclude();
  });
}

// -- Uncaught errors: a rejection that a hook does not handle, an exception in one of its timers. They are counted and
//    named, and the load continues.

/** Number of printed stacks; the counter continues. */
const MAX_PRINTED = 20;

/**
 * @param {(code: string) => void} count an error that ended no user
 * @param {(text: string) => void} say
 */
export function surviveUncaught(count, say) {
  let printed = 0;
  const take = (/** @type {any} */ error) => {
    const hook = calls.getStore();
    // A hook that has not ended ends its user, whose error is counted there.
    if (!hook?.fail(error)) count(nameError(error));
    printed += 1;
    if (printed > MAX_PRINTED) return;
    say(`uncaught error${hook ? ` in the hook ${hook.name}` : ''}: ${error?.stack ?? error}`);
    if (printed === MAX_PRINTED) say('further uncaught errors are counted and not shown');
  };
  process.on('uncaughtException', take);
  process.on('unhandledRejection', take);
}
