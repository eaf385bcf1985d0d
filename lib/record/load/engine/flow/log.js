/**
 * `- log: text`
 * @type {import('../engine.d.ts').StepCompiler}
 */
export function compileLog(spec, { helpers }) {
  return context => {
    console.log(helpers.template(spec.log, context));
  };
}
