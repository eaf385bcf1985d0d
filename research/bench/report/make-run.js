/** Writes a run of a size into a folder; a process of its own, so that its memory is not counted. */
import { writeLargeRun } from '../../../test/helpers/synthetic-run/index.js';
import { specOf } from './sizes.js';

const [folder = '', size = '{}'] = process.argv.slice(2);
const { samples } = writeLargeRun(folder, specOf(JSON.parse(size)));
console.log(JSON.stringify({ samples }));
