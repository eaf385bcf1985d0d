/** Pauses of a user. Artillery's own code reads how long, except for parts of a second. */

/**
 * `- think: 2`: number of seconds, text such as `500ms`, or a template; with `jitter`.
 * @type {import('../engine.d.ts').StepCompiler}
 */
export function compileThink(spec, { config, helpers }) {
  const defaults = config.http?.defaults?.think || config.defaults?.think;
  return context =>
    new Promise((resolve, reject) => {
      const think = toMilliseconds(helpers.template(spec.think, context));
      const wait = helpers.createThink({ think, jitter: spec.jitter }, defaults);
      wait(context, (/** @type {unknown} */ error) => (error ? reject(error) : resolve()));
    });
}

/** `0.5` is no whole number to Artillery, and becomes 1 ms. @param {any} think */
function toMilliseconds(think) {
  const seconds = think === '' || think === null ? Number.NaN : Number(think);
  return Number.isFinite(seconds) && !Number.isInteger(seconds) ? `${seconds * 1000}ms` : think;
}
