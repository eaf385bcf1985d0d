/** Ties views to endpoints by the routes that the source of the views names. */

/** @typedef {{function: string, file: string, path: string, methods: string[]}} ViewRoute of a view, as the source has it */

/** A segment that stands for any other: `<int:id>`, `{id}`, `:id`. */
const ANY = /^(?:<.*>|\{.*\}|:.*)$/;

/**
 * A route is the end of an endpoint's path: what is before it, a blueprint or a router was given elsewhere.
 * The longest route with the fewest variable parts is the endpoint's; where two views have it, nobody is.
 * @param {{function: string, file: string}[]} views
 * @param {string[]} endpoints names, `GET /api/v1/services/:id`
 * @param {ViewRoute[]} routes
 * @returns {Map<number, number>} index of a view → index of its one endpoint
 */
export function tieByRoute(views, endpoints, routes) {
  const routesOf = views.map(view =>
    routes.filter(route => route.function === view.function && route.file === view.file),
  );
  /** @type {Map<number, number[]>} view → endpoints */
  const found = new Map();
  for (const [endpoint, name] of endpoints.entries()) {
    const fits = routesOf.map(own => Math.max(...own.map(route => measureFit(route, name)), 0));
    const most = Math.max(...fits, 0);
    const view = fits.indexOf(most);
    if (most > 0 && fits.lastIndexOf(most) === view)
      found.set(view, [...(found.get(view) ?? []), endpoint]);
  }
  return new Map(
    [...found].flatMap(([view, [endpoint, ...others]]) =>
      endpoint !== undefined && others.length === 0 ? [[view, endpoint]] : [],
    ),
  );
}

/**
 * @param {ViewRoute} route @param {string} endpoint
 * @returns {number} 0 where the route is not the endpoint's
 */
function measureFit({ path, methods }, endpoint) {
  const [method = '', address = ''] = endpoint.split(' ');
  const own = segmentsOf(path);
  const asked = segmentsOf(address);
  const end = asked.slice(asked.length - own.length);
  if (!methods.includes(method) || own.length > asked.length) return 0;
  const plain = own.filter(segment => !ANY.test(segment));
  // A route of variable parts alone is the end of every path.
  if (plain.length === 0 && own.length < asked.length) return 0;
  const isEnd = own.every((segment, index) => ANY.test(segment) || segment === end[index]);
  return isEnd ? 1 + own.length + plain.length : 0;
}

/** @param {string} path */
const segmentsOf = path => path.split('/').filter(Boolean);
