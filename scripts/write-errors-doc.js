/** Writes docs/errors.md from the one table of errors: `node scripts/run.js scripts/write-errors-doc.js`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ERRORS, EXIT } from '../lib/errors.js';

const FILE = new URL('../docs/errors.md', import.meta.url);
const TABLE = new URL('../lib/errors.js', import.meta.url);

/** @type {Record<keyof typeof EXIT, string>} */
const MEANING = {
  good: 'success',
  bug: 'a bug in loadflame: it prints a stack; please report it',
  usage: 'wrong use: a flag, a setting or a file that loadflame cannot use',
  missing: 'something is missing on this machine',
  refused: 'the target or the identity provider refused',
  threshold:
    'the run is valid, but a threshold, `ensure` or `expect` failed, more failed than [ALLOWED_FAILURES](settings.md) allows (1 %), or over 20 % of the arrivals were dropped',
  invalid:
    'the measurement is not valid: nothing was sent, the server exited, most requests failed, or a scenario or an endpoint (almost) never succeeded',
  interrupted: 'interrupted; what was measured is kept and reported as partial',
};

/** @returns {string} docs/errors.md */
export function renderErrorsDoc() {
  const exits = Object.entries(EXIT).map(
    ([name, code]) => `| ${code} | ${MEANING[/** @type {keyof typeof EXIT} */ (name)]} |`,
  );
  const sections = readSections().map(({ title, codes }) => {
    const rows = codes.map(code => {
      const [exit, message] = /** @type {[number, string, string]} */ (ERRORS[code]);
      return `- \`${code}\` (${exit}): ${message.replaceAll('\n', '<br>')}`;
    });
    return `## ${title}\n\n${rows.join('\n')}\n`;
  });
  return `# Errors

Each error has a code, an exit code (in parentheses) and a message, in which \`{name}\` stands for a value. **The terminal adds a hint with what to do next.** In scripts, match the code, never the text.

## Exit codes

| exit code | meaning |
|---|---|
${exits.join('\n')}

In CI, 5 means that your API missed a limit. 6 means that the figures say nothing about your API: repair the run first. 2, 3 and 4 usually mean that the run never began. When several apply, the first of 130, 3, 6 and 5 wins.

${sections.join('\n')}`;
}

/** Sections follow the table's own comments: `// -- title (rooms)`. */
function readSections() {
  /** @type {{title: string, codes: string[]}[]} */
  const sections = [];
  for (const line of readFileSync(TABLE, 'utf8').split('\n')) {
    const title = /^ {2}\/\/ -- (.*?)(?: \(.*\))?$/.exec(line)?.[1];
    const code = /^ {2}([A-Z][A-Z_]+): \[/.exec(line)?.[1];
    if (title) sections.push({ title: title.charAt(0).toUpperCase() + title.slice(1), codes: [] });
    else if (code) sections.at(-1)?.codes.push(code);
  }
  return sections;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(FILE, renderErrorsDoc());
