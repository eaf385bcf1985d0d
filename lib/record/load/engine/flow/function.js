import { callHook, findHook } from './hooks.js';

/**
 * `- function: name`
 * @type {import('../engine.d.ts').StepCompiler}
 */
export function compileFunction(spec, scope) {
  const name = spec.function;
  return context => {
    const hook = findHook(name, scope);
    if (hook) return callHook(name, hook, [context, scope.ee], scope);
    scope.ee.emit('error', `Undefined function "${name}"`);
    return undefined;
  };
}
