/** With the gunicorn companion the route stands on the stack, so each sample says whose it is. */

/** @typedef {import('./attribution.d.ts').Attribution} Attribution */

/**
 * @param {import('../../profile/profile.d.ts').Profile} profile
 * @param {import('./attribution.d.ts').LoadRates | null} load
 * @returns {Attribution}
 */
export function attributeByRoute({ routes, rows }, load) {
  const asked = load?.endpoints ?? [];
  const unseen = asked.filter(({ name, requests }) => requests > 0 && !routes.includes(name));
  return {
    basis: 'companion',
    isShared: () => false,
    // endpoints that no sample fell into are rows, too: they cost next to nothing
    owners: [...routes, ...unseen.map(({ name }) => name)].map(name => ({
      name,
      basis: 'companion',
      endpoint: asked.findIndex(endpoint => endpoint.name === name),
      doubt: 0,
      views: [],
    })),
    split: (row, _node, _window, _path, weight, visit) => visit(rows.route[row] ?? -1, weight),
  };
}
