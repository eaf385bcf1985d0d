/** Writes docs/settings.md from the table of settings: `node scripts/run.js scripts/write-settings-doc.js`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { SETTINGS } from '../lib/base/config/settings.js';

const FILE = new URL('../docs/settings.md', import.meta.url);
/** From the first setting to the next empty line. */
const LIST = /- `TARGET`[\s\S]*?\n(?=\n|$)/;

/** @returns {string} Markdown */
export function listSettings() {
  return SETTINGS.map(({ name, aliases = [], parser, about, ...setting }) => {
    const initial = setting.default === undefined ? '' : ` (\`${setting.default}\`)`;
    const also =
      aliases.length > 0 ? ` (also ${aliases.map(alias => `\`${alias}\``).join(', ')})` : '';
    const allowed = parser?.allowed.startsWith('one of') ? `. Allowed: ${parser.allowed}` : '';
    const secret = setting.secret ? '; a secret' : '';
    return `- \`${name}\`${initial}: ${about}${also}${allowed}${secret}\n`;
  }).join('');
}

if (import.meta.main ?? process.argv[1] === import.meta.filename) {
  const text = readFileSync(FILE, 'utf8');
  writeFileSync(FILE, text.replace(LIST, listSettings));
}
