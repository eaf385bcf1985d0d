import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { runClosedLoop } from '../../../research/closed-loop.js';
import { listCases, listRequests, readCase, withApps } from '../../../research/replay/serve.js';

const REPLAY = path.resolve(import.meta.dirname, '../../../research/replay');
const VARIANTS = [
  { isFixed: false, companion: false },
  { isFixed: true, companion: false },
  { isFixed: false, companion: true },
];

for (const half of /** @type {const} */ (['known', 'apart']))
  for (const id of listCases(half))
    test(`${half}/${id} gives status 200 with the fix, without it and with the companion`, async () => {
      const folder = path.join(REPLAY, half, id);
      const requests = listRequests(readCase(folder));
      await withApps(folder, VARIANTS, async sides => {
        for (const { url } of sides) {
          const asked = requests.map(request => ({ ...request, url: `${url}${request.url}` }));
          const { times, failures } = await runClosedLoop(asked, { users: requests.length, ms: 0 });
          assert.deepEqual(failures, []);
          assert.equal(times.length, requests.length);
        }
      });
    });
