/** Does the API have the gunicorn companion? Its answers say so. */
import { get } from './get-json.js';

/** `companion/loadflame_gunicorn.py` says which worker answered. */
const OURS = /worker;desc="([0-9a-f]{8}\.\d+)"/;

/** @type {import('./run-checks.js').Check} */
export const companion = {
  id: 'companion',
  title: 'companion',
  check: async ({ config }) => {
    const target = config.get('TARGET');
    if (!target) return { level: 'skip', text: 'not checked: TARGET is not set' };
    const { headers } = await get(target);
    const [, worker] = OURS.exec(headers['server-timing'] ?? '') ?? [];
    if (worker) {
      return { level: 'ok', text: `in the API: worker ${worker} told what its answer took` };
    }
    return {
      level: 'skip',
      text: 'not in the API: CPU per endpoint will be estimated from the names of its functions',
      hint: 'optional: `loadflame companion`, a line in gunicorn.conf.py and LOADFLAME=1 (docs/companion.md)',
    };
  },
};
