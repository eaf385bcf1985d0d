/** `npm run check -- --fix` writes what loadflame's own rules files say as JSON, which every report reads. */
import { writeFileSync } from 'node:fs';
import { READ_RULES, readOwnRules } from '../lib/analysis/hotpath/load-rules.js';

const lines = readOwnRules().map(data => JSON.stringify(data));
writeFileSync(READ_RULES, `[\n${lines.join(',\n')}\n]\n`);
