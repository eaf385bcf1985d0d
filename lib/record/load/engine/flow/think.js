/**
 * `- think: 2`: number of seconds, text such as `500ms`, or a template; with `jitter`. Artillery's
 * own code reads them.
 * @type {import('../engine.d.ts').StepCompiler}
 */
export function compileThink(spec, { config, helpers }) {
  const defaults = config.http?.defaults?.think || config.defaults?.think;
  const think = helpers.createThink(spec, defaults);
  return context =>
    new Promise((resolve, reject) => {
      think(context, (/** @type {unknown} */ error) => (error ? reject(error) : resolve()));
    });
}
