/** Profiles of stacks that tests write down, and stacks that many of them use. */
import { loadRules } from '../../lib/analysis/hotpath/load-rules.js';
import { ProfileBuilder } from '../../lib/analysis/stacks/profile-builder.js';

export const rules = await loadRules();
export const REQUEST = [
  'SyncWorker.handle_request (gunicorn/workers/sync.py:190)',
  'Flask.wsgi_app (flask/app.py:1511)',
];
export const VIEW = [...REQUEST, 'show (shop/views.py:3)'];
export const AUTH = [...VIEW, 'decode (jose/jwt.py:142)'];
export const POLL = [
  'ThreadWorker.run (gunicorn/workers/gthread.py:427)',
  'EpollSelector.select (selectors.py:468)',
];
export const TLS = [...VIEW, 'post (httpx/_api.py:3)', 'create_ssl_context (httpx/_config.py:40)'];

/**
 * Segments of five seconds; each row: segment, pid, stack, samples.
 * @param {[number, number, string[], number][]} rows
 */
export function build(rows, rateHz = 50) {
  const builder = new ProfileBuilder();
  const last = Math.max(...rows.map(([segment]) => segment));
  for (let index = 0; index <= last; index++) builder.addSegment(index * 5000, index * 5000 + 5000);
  for (const [segment, pid, stack, samples] of rows)
    builder.addTextStack([`process ${pid}:"gunicorn"`, ...stack], samples, segment);
  return builder.build({ source: 'raw', rateHz });
}
