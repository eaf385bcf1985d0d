/** The three services: how each is started, what is requested of it, and in which proportion. */

/**
 * @typedef {{name: string, weight: number, request: Record<string, unknown>}} Asked `name`: as in the report
 * @typedef {{app: string, isAsgi: boolean, rate: number, headers: Record<string, string>, endpoints: Asked[],
 *   usesNative?: string, env?: Record<string, string>}} Service
 *   `rate`: requests per second of all endpoints together; `usesNative`: the only endpoint that uses native threads
 */

/** A signature of the key in apps/fastapi_shop.py, made by its own `jwt.encode`. */
const TOKEN = '$TOKEN';

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
      { name: 'GET /forecast/:id', weight: 2, request: { get: { url: '/forecast/7' } } },
      { name: 'GET /export', weight: 3, request: { get: { url: '/export' } } },
      {
        name: 'POST /login',
        weight: 2,
        request: { post: { url: '/login', json: { password: 'secret' } } },
      },
      { name: 'GET /search', weight: 3, request: { get: { url: '/search?q=4' } } },
      { name: 'GET /health', weight: 4, request: { get: { url: '/health' } } },
    ],
  },
  fastapi: {
    app: 'fastapi_shop',
    isAsgi: true,
    rate: 90,
    headers: { Authorization: `Bearer ${TOKEN}` },
    endpoints: [
      { name: 'GET /products', weight: 3, request: { get: { url: '/products' } } },
      { name: 'GET /products/:id', weight: 4, request: { get: { url: '/products/9' } } },
      {
        name: 'POST /orders',
        weight: 4,
        request: {
          post: {
            url: '/orders',
            json: {
              customer: 'ann',
              lines: [
                { product: 1, amount: 2 },
                { product: 2, amount: 3 },
              ],
            },
          },
        },
      },
      { name: 'GET /report', weight: 2, request: { get: { url: '/report' } } },
      { name: 'GET /ping', weight: 4, request: { get: { url: '/ping' } } },
    ],
  },
  django: {
    app: 'django_rest',
    isAsgi: false,
    rate: 45,
    headers: {},
    endpoints: [
      { name: 'GET /books/', weight: 3, request: { get: { url: '/books/' } } },
      { name: 'GET /books/:id/', weight: 4, request: { get: { url: '/books/17/' } } },
      { name: 'GET /authors/', weight: 3, request: { get: { url: '/authors/' } } },
      {
        name: 'POST /login/',
        weight: 1,
        request: { post: { url: '/login/', json: { password: 'secret' } } },
      },
      { name: 'GET /statistics/', weight: 2, request: { get: { url: '/statistics/' } } },
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
