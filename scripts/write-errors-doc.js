/** Writes docs/errors.md from the one table of errors: `node scripts/run.js scripts/write-errors-doc.js`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { ERRORS, EXIT } from '../lib/errors.js';

const FILE = new URL('../docs/errors.md', import.meta.url);
const TABLE = new URL('../lib/errors.js', import.meta.url);

/** @type {Record<keyof typeof EXIT, string>} */
const MEANING = {
  good: 'all is well',
  bug: 'a bug in loadflame: a stack is printed; please report it',
  usage: 'wrong use: a flag, a setting or a file that can not be used',
  missing: 'something is missing on this machine',
  refused: 'the target or the identity provider refused',
  threshold:
    'the run is valid and a threshold of the script failed, or more requests or users failed than ALLOWED_FAILURES allows (1 %)',
  invalid:
    'the measurement is not valid: nothing was sent, most of it failed or was refused, or a scenario or an endpoint (almost) never succeeded',
  interrupted: 'interrupted; what was measured is kept and reported as partial',
};

/** Sections follow the table's own comments: `// -- title (rooms)`. */
function readSections() {
  /** @type {{title: string, codes: string[]}[]} */
  const sections = [];
  for (const line of readFileSync(TABLE, 'utf8').split('\n')) {
    const title = /^ {2}\/\/ -- (.*)$/.exec(line)?.[1];
    const code = /^ {2}([A-Z][A-Z_]+): \[/.exec(line)?.[1];
    if (title) sections.push({ title, codes: [] });
    else if (code) sections.at(-1)?.codes.push(code);
  }
  return sections;
}

const exits = Object.entries(EXIT).map(
  ([name, code]) => `| ${code} | ${MEANING[/** @type {keyof typeof EXIT} */ (name)]} |`,
);
const sections = readSections().map(({ title, codes }) => {
  const entries = codes.map(code => {
    const [exit, message, hint] = /** @type {[number, string, string]} */ (ERRORS[code]);
    return `### ${code}\n\n> error: ${message}\n>\n> hint: ${hint}\n\nexit code ${exit}\n`;
  });
  return `## ${title.charAt(0).toUpperCase()}${title.slice(1)}\n\n${entries.join('\n')}`;
});

writeFileSync(
  FILE,
  `# Errors

Every error that a user can act on, from the table in \`lib/errors.js\`. \`{name}\` stands for a value. Match on the code, never on the text. A hint may be more particular than the one here where more is known.

## Exit codes

| code | meaning |
|---|---|
${exits.join('\n')}

${sections.join('\n')}`,
);
