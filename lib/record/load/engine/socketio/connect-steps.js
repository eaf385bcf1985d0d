/**
 * Steps of ours: `connect: {namespace?, auth?, extraHeaders?, query?}` and
 * `disconnect: {namespace?}`; a text is the namespace.
 */
import { compileTemplate } from '../flow/template.js';
import { socketsOf } from './user-sockets.js';

/** @type {import('../engine.d.ts').StepCompiler} */
export function compileConnect(spec, scope) {
  const resolve = compileTemplate(toOptions(spec.connect), scope.helpers).fill;
  return async context => {
    const options = resolve(context);
    await socketsOf(context, scope).connect(options.namespace, options);
  };
}

/** @type {import('../engine.d.ts').StepCompiler} */
export function compileDisconnect(spec, scope) {
  const resolve = compileTemplate(toOptions(spec.disconnect), scope.helpers).fill;
  return context => socketsOf(context, scope).disconnect(resolve(context).namespace);
}

/** @param {any} spec @returns {Record<string, any>} */
function toOptions(spec) {
  return typeof spec === 'string' ? { namespace: spec } : (spec ?? {});
}
