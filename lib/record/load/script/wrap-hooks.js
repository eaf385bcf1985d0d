/**
 * Artillery 2.0.34 calls a plain function with a callback and waits for that alone, and awaits an
 * `async` function without giving it one. Scripts were written for other rules. Wrapped, a hook of
 * any shape ends when its author meant it to end:
 *
 * - callback style: when it calls back
 * - `async`, or a plain function that returns a promise: when the promise settles
 * - `async` that also takes a callback: at whichever it uses
 * - a plain function without callback and promise: when it returns
 */
import { AsyncLocalStorage } from 'node:async_hooks';

/** How long a settled promise waits for a callback that the function also names. */
const CALLBACK_GRACE_MS = 1000;

const WRAPPED = Symbol('wrapped by loadflame');

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
 * @param {Record<string, any> | undefined} processor
 * @returns {Record<string, any>} a copy with every function wrapped; an own copy is given back as it is
 */
export function wrapHooks(processor = {}) {
  if (/** @type {any} */ (processor)[WRAPPED]) return processor;
  const wrapped = Object.fromEntries(
    Object.entries(processor).map(([name, item]) => [
      name,
      typeof item === 'function' && !isClass(item) ? wrapHook(item) : item,
    ]),
  );
  Object.defineProperty(wrapped, WRAPPED, { value: true });
  return wrapped;
}

/**
 * @param {(...args: any[]) => any} hook
 * @returns {(...args: any[]) => any} always to be called with a callback as its last argument;
 *   without one it is called as it is (`ifTrue` conditions)
 */
export function wrapHook(hook) {
  const parameters = parseParameters(hook);
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
    // An error there would be true to Artillery, and the loop never end; our engine asks for it.
    const fail = (/** @type {unknown} */ error) =>
      args.length === 2 && !callback.takesErrors
        ? done(false)
        : done(error instanceof Error ? error : new Error(`${error}`));
    const takesCallback = parameters.rest || parameters.names.length >= args.length;
    const usesCallback =
      takesCallback && (parameters.rest || isUsed(hook, parameters.names[args.length - 1] ?? ''));
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
    if (typeof result?.then === 'function') {
      result.then(
        (/** @type {unknown} */ value) =>
          usesCallback ? setTimeout(succeed, CALLBACK_GRACE_MS, value) : succeed(value),
        fail,
      );
    } else if (!takesCallback) succeed(result);
    return undefined;
  };
}

/** @param {Function} hook */
function isClass(hook) {
  return /^class\b/.test(Function.prototype.toString.call(hook));
}

/**
 * Names of a function's parameters, from its text: `length` leaves out those with a default.
 * @param {Function} hook
 */
function parseParameters(hook) {
  const text = Function.prototype.toString.call(hook);
  const single = /^(?:async\s+)?([A-Za-z_$][\w$]*)\s*=>/.exec(text);
  if (single) return { names: [single[1] ?? ''], rest: false };
  const open = text.indexOf('(');
  let depth = 0;
  const names = [''];
  for (const char of text.slice(open)) {
    if (')]}'.includes(char) && --depth === 0) break;
    if (char === ',' && depth === 1) names.push('');
    else if (depth > 0) names.push(`${names.pop()}${char}`);
    if ('([{'.includes(char)) depth++;
  }
  const clean = names.map(name =>
    name
      .replace(/\/\*.*?\*\//gs, '')
      .replace(/=.*$/s, '')
      .trim(),
  );
  return {
    names: clean.filter(name => name !== ''),
    rest: clean.at(-1)?.startsWith('...') || /\barguments\b/.test(text),
  };
}

/** Does the text of a function name this parameter again? @param {Function} hook @param {string} name */
function isUsed(hook, name) {
  const escaped = name.replaceAll('$', '\\$');
  const found = Function.prototype.toString
    .call(hook)
    .match(new RegExp(`(?<![\\w$.])${escaped}(?![\\w$])`, 'g'));
  return (found?.length ?? 0) > 1;
}
