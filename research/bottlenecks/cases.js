/** The cases of this bench: `cases.yaml` here, and of each set that no rule was tuned on in its folder. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';

/** @import { BottleneckId } from '../../lib/run/facts/bottleneck.d.ts' */

/**
 * @typedef {object} Case
 * @property {string} app
 * @property {string[]} [gunicorn] its arguments; else uvicorn serves
 * @property {string[]} [fixedGunicorn] where the fix is in the command
 * @property {string[]} [server] another server: a module of Python and its arguments, with `{port}`
 * @property {string[]} [fixedServer] where the fix is in that command
 * @property {string} [route] with a leading slash; else `/`
 * @property {number} [users] of a closed loop
 * @property {number} [thinkSec] pause of a user after each response
 * @property {number} [rate] of arrivals per second
 * @property {{delay: number, atOnce: number, refuses?: boolean}} [other] a service that the app calls: seconds, requests at
 *   a time, and whether it refuses more
 * @property {number} [fixedAtOnce] where the fix is in that service
 * @property {'redis' | 'postgres'} [needs] a server that runs beside the app
 * @property {{function: string, part: 'half' | 'without'}} [shorter] the path of CPU time that the fix makes shorter, where
 *   it is not the end of the limit
 * @property {BottleneckId[]} limits
 * @property {string} what it is, for people
 * @property {string} [line] where the limit is: a file of the app, a colon, and the text of its line; absent where no line is
 *   the limit
 * @property {string} [fix] what raises the throughput
 */

/** @param {string} folder of this one, or `.` @returns {Case[]} */
export function readCases(folder) {
  return parse(readFileSync(path.join(import.meta.dirname, folder, 'cases.yaml'), 'utf8'));
}
