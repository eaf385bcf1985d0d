/** `npm run test:slow limits`: the demo in six set-ups, and what its report says limits it. */
import { test } from '../helpers/quiet.js';
import { checkSetUp, SET_UPS } from './set-ups.js';

for (const { title, bottleneck, skip, ...setUp } of SET_UPS.values()) {
  test(`${title}: ${bottleneck}`, { skip: skip ?? false }, t =>
    checkSetUp(t, { title, bottleneck, ...setUp }),
  );
}
