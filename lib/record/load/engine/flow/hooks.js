/**
 * Functions of the processor: of any shape, found when they are called (plugins add theirs late),
 * and never waited for without end.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import { nameError } from '../../metrics/error-samples.js';

/** @import { Scope } from '../engine.d.ts' */

/** @typedef {(...args: any[]) => any} Hook */
/** @typedef {Pick<Scope, 'config'> & Partial<Pick<Scope, 'services'>>} HookScope */

/** A hook that holds the event loop for less is one of many reasons for an answer that is taken late. */
const LEAST_HELD_MS = 100;

/** Artillery waits for ever; a hook may wait for something slow. `config.loadflame.hookTimeout` says other. */
const DEFAULT_TIMEOUT_SEC = 60;

/** @type {WeakMap<Hook, Hook>} */
const wrappers = new WeakMap();

/**
 * @param {string} name
 * @param {Pick<Scope, 'config'>} scope
 * @returns {Hook | null} to be called by `callHook` or `callCondition`
 */
export function findHook(name, { config }) {
  const hook = config.processor?.[name];
  if (typeof hook !== 'function') return null;
  let wrapper = wrappers.get(hook);
  if (!wrapper) {
    wrapper = wrapHook(hook);
    wrappers.set(hook, wrapper);
  }
  return wrapper;
}

/**
 * @param {string} name for the error of a hook that never calls back
 * @param {Hook} hook
 * @param {any[]} args without the callback
 * @param {HookScope} scope
 * @returns {void | Promise<void>} nothing if the hook was done at once
 * @throws what the hook throws, rejects or calls back with
 */
export function callHook(name, hook, args, scope) {
  return call(name, hook, args, scope, error => ({ error }));
}

/**
 * `whileTrue`: the one kind of hook that calls back with a value.
 * @param {string} name @param {Hook} hook @param {any} context @param {HookScope} scope
 * @returns {any} the value, or a promise of it
 */
export function callCondition(name, hook, context, scope) {
  return call(name, hook, [context], scope, value =>
    value instanceof Error ? { error: value } : { value },
  );
}

/** @typedef {{error?: any, value?: any}} Outcome */

/**
 * @param {string} name @param {Hook} hook @param {any[]} args @param {HookScope} scope
 * @param {(result: any) => Outcome} read what it called back with
 */
function call(name, hook, args, { config, services }, read) {
  /** @type {Outcome | null} */
  let outcome = null;
  /** Of a hook that is waited for. @type {((outcome: Outcome) => void) | undefined} */
  let end;
  const callback = (/** @type {any} */ result) => {
    if (outcome) return;
    outcome = read(result);
    end?.(outcome);
  };
  const beganMs = performance.now();
  hook(...args, callback);
  const heldMs = performance.now() - beganMs;
  // Meanwhile no user was started, and no response was taken.
  if (heldMs >= LEAST_HELD_MS) services?.recorder.measure(`hooks.held.${name}`, heldMs);
  if (outcome) {
    const { error, value } = /** @type {Outcome} */ (outcome);
    if (error) throw error;
    return value;
  }
  const limitSec = Number(config.loadflame?.hookTimeout) || DEFAULT_TIMEOUT_SEC;
  return new Promise((resolve, reject) => {
    end = ({ error, value }) => {
      clearTimeout(timer);
      if (error) reject(error);
      else resolve(value);
    };
    const timer = setTimeout(() => {
      outcome = { error: new Error(`hook ${name} did not call back within ${limitSec} s`) };
      end?.(outcome);
    }, limitSec * 1000);
  });
}

// -- Artillery 2.0.34 calls a plain function with a callback and waits for that alone, and awaits an
//    `async` function without giving it one. Scripts were written for other rules. Wrapped, a hook of
//    any shape ends when its author meant it to end:
//    - `async`, or a plain function that returns a promise: when the promise settles, or at its callback
//    - a plain function that takes a callback: when it calls back
//    - any other: when it returns

/** A last parameter that takes all others, or none named at all. */
const TAKES_ALL = /\.\.\.[\w$]+\s*\)\s*(?:=>|\{)|\barguments\b/;

/**
 * A call of a hook, for errors that surface elsewhere.
 * @typedef {object} HookCall
 * @property {string} name
 * @property {(error: unknown) => boolean} fail ends the hook with an error; false if it is over
 */

/** @type {AsyncLocalStorage<HookCall | undefined>} */
const calls = new AsyncLocalStorage();

/** The call that started what runs now, a timer or a promise. @returns {HookCall | undefined} */
export function runningHook() {
  return calls.getStore();
}

/**
 * @param {(...args: any[]) => any} hook
 * @returns {(...args: any[]) => any} always to be called with a callback as its last argument;
 *   without one it is called as it is (`ifTrue` conditions)
 */
export function wrapHook(hook) {
  const takesAll = TAKES_ALL.test(Function.prototype.toString.call(hook));
  /** @this {unknown} @param {any[]} args */
  return function hookOfAnyShape(...args) {
    const callback = args.at(-1);
    if (typeof callback !== 'function') return hook.apply(this, args);
    let over = false;
    const done = (/** @type {any[]} */ ...results) => {
      if (over) return;
      over = true;
      // What comes next is not the hook's any more.
      calls.run(undefined, callback, ...results);
    };
    // `whileTrue(context, done)` is the one that calls back with a value instead of an error.
    const succeed = (/** @type {unknown} */ value) => (args.length === 2 ? done(value) : done());
    const fail = (/** @type {unknown} */ error) =>
      done(error instanceof Error ? error : new Error(`${error}`));
    const call = {
      name: hook.name,
      fail: (/** @type {unknown} */ error) => {
        if (over) return false;
        fail(error);
        return true;
      },
    };
    let result;
    try {
      result = calls.run(call, () => hook.apply(this, [...args.slice(0, -1), done]));
    } catch (error) {
      fail(error);
      return undefined;
    }
    if (typeof result?.then === 'function') result.then(succeed, fail);
    else if (hook.length < args.length && !takesAll) succeed(result);
    return undefined;
  };
}

// -- Errors that nobody catches: a rejection that a hook forgot, an exception in one of its timers. They are counted
//    and named, and the load goes on.

/** Stacks that are printed; the counter goes on. */
const MAX_PRINTED = 20;

/**
 * @param {(code: string) => void} count an error that ended no user
 * @param {(text: string) => void} say
 */
export function surviveUncaught(count, say) {
  let printed = 0;
  const take = (/** @type {any} */ error) => {
    const hook = runningHook();
    // A hook that is still waited for ends its user, whose error is counted there.
    if (!hook?.fail(error)) count(nameError(error));
    printed += 1;
    if (printed > MAX_PRINTED) return;
    say(`uncaught error${hook ? ` in the hook ${hook.name}` : ''}: ${error?.stack ?? error}`);
    if (printed === MAX_PRINTED) say('further uncaught errors are counted and not shown');
  };
  process.on('uncaughtException', take);
  process.on('unhandledRejection', take);
}
