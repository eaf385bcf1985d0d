import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
/** @type {(options?: {type: 'minor' | 'major'}) => void} */
export const collectGarbage = runInNewContext('gc');
// Processes without the flag refuse code that was compiled with it, and the cache of compiled code is that of all tests.
setFlagsFromString('--no-expose-gc');
