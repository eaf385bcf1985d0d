/** From a flow as written to steps: everything that can be worked out before users arrive, is. */
import { STEP_KINDS } from './step-kinds.js';

/**
 * @param {Record<string, any>[] | undefined} specs lists inside (YAML anchors) are flattened
 * @param {import('../engine.d.ts').Scope} scope
 * @returns {import('../engine.d.ts').Step[]}
 */
export function compileFlow(specs, scope) {
  return [specs ?? []].flat(Number.POSITIVE_INFINITY).map(spec => {
    const kind = STEP_KINDS.find(({ matches }) => matches(spec, scope));
    return /** @type {import('./step-kinds.js').StepKind} */ (kind).compile(spec, scope);
  });
}
