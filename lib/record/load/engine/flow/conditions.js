import { compileExpression } from 'filtrex';

/**
 * `probability` and `ifTrue` of a request: should it be sent?
 * @param {Record<string, any>} params
 * @param {import('../engine.d.ts').Scope} scope
 * @returns {((context: any) => boolean) | null} null if it always is
 */
export function compileConditions(params, { config, helpers }) {
  const { ifTrue, probability } = params;
  if (ifTrue === undefined && probability === undefined) return null;
  /** @type {((vars: any) => unknown) | undefined} */
  let expression;
  /** @param {any} context */
  const holds = context => {
    try {
      const own = Object.hasOwn(config.processor ?? {}, ifTrue) && config.processor[ifTrue];
      expression ??= own || compileExpression(ifTrue);
      return /** @type {(vars: any) => unknown} */ (expression)(context.vars);
    } catch {
      // Artillery's rule: a condition that can't be worked out is no reason to leave out a request.
      return true;
    }
  };
  return context =>
    helpers.isProbableEnough(params) && (ifTrue === undefined || Boolean(holds(context)));
}
