/**
 * Functions of the processor: of any shape, found when they are called (plugins add theirs late),
 * and never waited for without end.
 */
import { wrapHook } from '../../script/wrap-hooks.js';

/** @typedef {import('../engine.d.ts').Scope} Scope */
/** @typedef {(...args: any[]) => any} Hook */

/** Name of the functions that `wrapHook` makes. */
const WRAPPED_NAME = 'hookOfAnyShape';
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
  if (hook.name === WRAPPED_NAME) return hook;
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
 * @param {Pick<Scope, 'config'>} scope
 * @returns {void | Promise<void>} nothing if the hook was done at once
 * @throws what the hook throws, rejects or calls back with
 */
export function callHook(name, hook, args, scope) {
  return call(name, hook, args, scope, (error, settle) => {
    if (error) settle.reject(error);
    else settle.resolve();
  });
}

/**
 * `whileTrue`: the one kind of hook that calls back with a value.
 * @param {string} name @param {Hook} hook @param {any} context @param {Pick<Scope, 'config'>} scope
 * @returns {any} the value, or a promise of it
 */
export function callCondition(name, hook, context, scope) {
  return call(name, hook, [context], scope, (value, settle) => {
    if (value instanceof Error) settle.reject(value);
    else settle.resolve(value);
  });
}

/**
 * @param {string} name @param {Hook} hook @param {any[]} args @param {Pick<Scope, 'config'>} scope
 * @param {(result: any, settle: {resolve: (value?: any) => void, reject: (error: any) => void}) => void} finish
 */
function call(name, hook, args, { config }, finish) {
  let over = false;
  /** @type {any} */
  let early;
  let failed = false;
  /** @type {{resolve: (value?: any) => void, reject: (error: any) => void}} */
  let settle = {
    resolve: value => {
      early = value;
    },
    reject: error => {
      failed = true;
      early = error;
    },
  };
  const callback = (/** @type {any} */ result) => {
    if (over) return;
    over = true;
    finish(result, settle);
  };
  callback.takesErrors = true;
  hook(...args, callback);
  if (over) {
    if (failed) throw early;
    return early;
  }
  const limitSec = Number(config.loadflame?.hookTimeout) || DEFAULT_TIMEOUT_SEC;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      over = true;
      reject(new Error(`hook ${name} did not call back within ${limitSec} s`));
    }, limitSec * 1000);
    settle = {
      resolve: value => {
        clearTimeout(timer);
        resolve(value);
      },
      reject: error => {
        clearTimeout(timer);
        reject(error);
      },
    };
  });
}
