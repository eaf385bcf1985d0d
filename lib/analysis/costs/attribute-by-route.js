/** With the gunicorn companion the route stands on the stack, so each sample says whose it is. */

/** @typedef {import('./attribution.d.ts').Attribution} Attribution */
/** @typedef {import('./attribution.d.ts').LoadRates} LoadRates */

/** @typedef {{owner: number, part: number}[]} Parts whose a route's samples are; parts sum to 1 */

/**
 * A route is the endpoint of its name. Where the script gave requests names of its own, their answers
 * tell which routes they go to; several names of one route share its samples by their answers.
 * @param {import('../../profile/profile.d.ts').Profile} profile
 * @param {LoadRates | null} load
 * @returns {Attribution}
 */
export function attributeByRoute({ routes, rows }, load) {
  const asked = load?.endpoints ?? [];
  /** @type {Attribution['owners']} */
  const owners = asked.flatMap(({ name, requests }, endpoint) =>
    requests > 0 || routes.includes(name) ? [makeOwner(name, endpoint)] : [],
  );
  const ownerOf = new Map(owners.map(({ endpoint }, owner) => [endpoint, owner]));
  const partsOf = routes.map(route => {
    const parts = findOwners(route, asked, ownerOf);
    return parts.length > 0 ? parts : [{ owner: owners.push(makeOwner(route, -1)) - 1, part: 1 }];
  });
  /** what whole samples owe each owner of a route, so that none is lost to rounding */
  const owed = partsOf.map(parts => parts.map(() => 0));
  return {
    basis: 'companion',
    isShared: () => false,
    owners,
    ownerOf(row) {
      const parts = partsOf[rows.route[row] ?? -1];
      return parts === undefined ? -1 : parts.length === 1 ? (parts[0]?.owner ?? -1) : -2;
    },
    split(row, _node, _window, _path, weight, visit) {
      const route = rows.route[row] ?? -1;
      dealOut(partsOf[route] ?? [], owed[route] ?? [], weight, visit);
    },
  };
}

/** @param {string} name @param {number} endpoint @returns {Attribution['owners'][number]} */
const makeOwner = (name, endpoint) => ({
  name,
  basis: 'companion',
  endpoint,
  doubt: 0,
  views: [],
});

/**
 * @param {string} route
 * @param {LoadRates['endpoints']} asked
 * @param {Map<number, number>} ownerOf endpoint → owner
 * @returns {Parts}
 */
function findOwners(route, asked, ownerOf) {
  const found = asked.flatMap(({ name, requests, routes }, endpoint) => {
    const answers = routes ? (routes[route] ?? 0) : name === route ? Math.max(1, requests) : 0;
    const owner = ownerOf.get(endpoint);
    return answers > 0 && owner !== undefined ? [{ owner, answers }] : [];
  });
  const all = found.reduce((sum, { answers }) => sum + answers, 0);
  return found.map(({ owner, answers }) => ({ owner, part: answers / all }));
}

/**
 * Whole samples, to whom most is owed.
 * @param {Parts} parts
 * @param {number[]} owed per part
 * @param {number} weight
 * @param {(owner: number, weight: number) => void} visit
 */
function dealOut(parts, owed, weight, visit) {
  for (const [index, { part }] of parts.entries()) owed[index] = (owed[index] ?? 0) + weight * part;
  let left = weight;
  for (const [index, { owner }] of parts.entries()) {
    const isLast = index === parts.length - 1;
    const own = isLast ? left : Math.min(left, Math.max(0, Math.round(owed[index] ?? 0)));
    owed[index] = (owed[index] ?? 0) - own;
    left -= own;
    if (own > 0) visit(owner, own);
  }
}
