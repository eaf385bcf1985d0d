/** @import { Call } from '../io.js' */
import { runBisect } from '../../experiment/try/run-bisect.js';
import { readEnds } from '../../experiment/try/sides.js';
import { tryOut } from './try.js';

/** @param {Call} call */
export const run = call => tryOut(call, 'bisect', { readSides: readEnds, measure: runBisect });
