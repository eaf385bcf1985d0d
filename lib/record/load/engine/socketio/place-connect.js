/** Where in a flow the default namespace is connected. */

/** What a login is made of. */
const LOGIN_STEPS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options', 'function', 'log'];

/**
 * A flow of a socket.io scenario, with a `connect` step after the steps that a login is made of, so
 * that what they captured reaches the handshake. A flow that has such a step decides itself.
 * @param {Record<string, any>[] | undefined} specs lists inside are flattened
 * @returns {Record<string, any>[]}
 */
export function placeConnect(specs) {
  /** @type {Record<string, any>[]} */
  const flow = [specs ?? []].flat(Number.POSITIVE_INFINITY);
  if (hasConnect(flow)) return flow;
  const first = flow.findIndex(step => !LOGIN_STEPS.some(kind => step[kind] !== undefined));
  const at = first === -1 ? flow.length : first;
  return flow.toSpliced(at, 0, { connect: {} });
}

/** @param {unknown} steps @returns {boolean} */
function hasConnect(steps) {
  if (!Array.isArray(steps)) return false;
  return steps.some(
    step => step?.connect !== undefined || hasConnect(step?.loop) || hasConnect(step?.parallel),
  );
}
