/** What the companion says of the calls of a request, made by hand. */

export const WORKER = '0a1b2c3d.42';
export const TIMING = `total;dur=20, cpu;dur=4, worker;desc="${WORKER}"`;

/** Statements by id. */
export const NAMES = {
  '00000001': {
    ...{ kind: 'sql', system: 'postgresql', text: 'SELECT * FROM orders WHERE id = ?' },
    ...{ file: 'app/views.py', line: 12, function: 'orders', relation: null },
  },
  '00000002': {
    ...{ kind: 'sql', system: 'postgresql', text: 'SELECT * FROM items WHERE order_id = ?' },
    ...{ file: 'app/views.py', line: 14, function: 'orders', relation: 'Order.items' },
  },
  '00000003': {
    ...{ kind: 'redis', system: 'redis', text: 'GET' },
    ...{ file: 'app/cache.py', line: 3, function: 'cached', relation: null },
  },
};

/** The bin of executions that took so long. @param {number} us */
export const binOf = us => Math.round(Math.log(us) / Math.log(1.1));

/**
 * Two orders with an N+1 of items, and a cache that is asked while a transaction is open.
 * @param {number} items
 */
export function ordersHeader(items) {
  return {
    calls: [
      ['00000001', 1, 2000, 1, 0, [[binOf(2000), 1]]],
      ['00000002', items, items * 500, items * 3, 0, [[binOf(500), items]]],
      ['00000003', 1, 300, null, 300, [[binOf(300), 1]], 'redis'],
    ],
    pool: [1, 700],
    named: NAMES,
  };
}
