import { runSteps } from './run-steps.js';

const DEFAULT_LIMIT = 100;

/**
 * `- parallel: [steps]`, with `limit`: the first failure ends the user; steps under way are left to
 * end by themselves, others do not begin.
 * @type {import('../engine.d.ts').StepCompiler}
 */
export function compileParallel(spec, scope) {
  const steps = scope.compile(spec.parallel);
  const limit = Number(spec.limit) || DEFAULT_LIMIT;
  return async context => {
    let next = 0;
    let failed = false;
    const runLane = async () => {
      while (next < steps.length && !failed) {
        const step = /** @type {import('../engine.d.ts').Step} */ (steps[next++]);
        try {
          await runSteps([step], context);
        } catch (error) {
          failed = true;
          throw error;
        }
      }
    };
    await Promise.all(Array.from({ length: Math.min(limit, steps.length) }, runLane));
  };
}
