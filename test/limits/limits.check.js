/** `npm run test:limits`: the demo in six set-ups, and what its report says limits it. */
import { test } from 'node:test';
import { checkSetUp, SET_UPS } from './set-ups.js';

for (const { title, limit, skip, ...setUp } of SET_UPS.values()) {
  test(`${title}: ${limit}`, { skip: (await skip?.()) ?? false }, t =>
    checkSetUp(t, { title, limit, ...setUp }),
  );
}
