/** The three services: how each is started, what is requested of it, and in which proportion. */

/**
 * @typedef {{name: string, weight: number, request: Record<string, unknown>}} Asked `name`: as in the report
 * @typedef {{app: string, isAsgi: boolean, rate: number, headers: Record<string, string>, endpoints: Asked[],
 *   usesNative?: string, env?: Record<string, string>}} Service
 *   `rate`: requests per second of all endpoints together; `usesNative`: the only endpoint that uses native threads
 */

/** A signature of the key in apps/fastapi_shop.py, made by its own `jwt.encode`. */
const TOKEN = '$TOKEN';

/** @param {number} weight @param {string} url @param {string} [route] @returns {Asked} */
function get(weight, url, route = url.split('?')[0]) {
  return { name: `GET ${route}`, weight, request: { get: { url } } };
}

/** @param {number} weight @param {string} url @param {object} json @returns {Asked} */
function post(weight, url, json) {
  return { name: `POST ${url}`, weight, request: { post: { url, json } } };
}

/** @type {Record<string, Service>} */
export const SERVICES = {
  flask: {
    app: 'flask_numpy',
    isAsgi: false,
    rate: 40,
    usesNative: 'GET /forecast/:id',
    // what two cores give anyway: on more, OpenBLAS would take all of them
    env: { OPENBLAS_NUM_THREADS: '2' },
    headers: { 'X-Key': 'k' },
    endpoints: [
      get(2, '/forecast/7', '/forecast/:id'),
      get(3, '/export'),
      post(2, '/login', { password: 'secret' }),
      get(3, '/search?q=4'),
      get(4, '/health'),
    ],
  },
  fastapi: {
    app: 'fastapi_shop',
    isAsgi: true,
    rate: 90,
    headers: { Authorization: `Bearer ${TOKEN}` },
    endpoints: [
      get(3, '/products'),
      get(4, '/products/9', '/products/:id'),
      post(4, '/orders', {
        customer: 'ann',
        lines: [
          { product: 1, amount: 2 },
          { product: 2, amount: 3 },
        ],
      }),
      get(2, '/report'),
      get(4, '/ping'),
    ],
  },
  django: {
    app: 'django_rest',
    isAsgi: false,
    rate: 45,
    headers: {},
    endpoints: [
      get(3, '/books/'),
      get(4, '/books/17/', '/books/:id/'),
      get(3, '/authors/'),
      post(1, '/login/', { password: 'secret' }),
      get(2, '/statistics/'),
    ],
  },
};

/**
 * A script whose users each send one request.
 * @param {Service} service @param {string} target @param {number} seconds
 */
export function describeLoad({ headers, endpoints, rate }, target, seconds) {
  return {
    config: {
      target,
      http: { defaults: { headers } },
      phases: [{ duration: seconds, arrivalRate: rate }],
    },
    scenarios: endpoints.map(({ name, weight, request }) => ({ name, weight, flow: [request] })),
  };
}
