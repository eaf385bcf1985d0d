/** @type {Map<number, string>} */
const texts = new Map();

/** Gives the user a payload of as many bytes as `bytes` says. @param {any} context */
export async function makePayload(context) {
  const bytes = Number(context.vars.bytes);
  let text = texts.get(bytes);
  if (text === undefined) {
    text = 'x'.repeat(bytes);
    texts.set(bytes, text);
  }
  context.vars.payload = text;
}
