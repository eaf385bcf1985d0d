import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

/**
 * The server's own count: gunicorn appends a line for each request that it has answered.
 * @param {string} file @param {string} route
 * @returns {Promise<Record<string, number>>} how many answers of the route, by status
 */
export async function countAccessLog(file, route) {
  /** @type {Record<string, number>} */
  const counts = {};
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const [, path, status] = /"\w+ ([^ ?"]+)[^"]*" (\d{3}) /.exec(line) ?? [];
    if (path === route && status) counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
}
