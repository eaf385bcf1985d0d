/** Writes docs/errors.md from the one table of errors: `node scripts/run.js scripts/write-errors-doc.js`. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ERRORS, EXIT } from '../lib/base/errors.js';

const FILE = new URL('../docs/errors.md', import.meta.url);

/** What a heading says of an exit code. @type {Record<keyof typeof EXIT, string>} */
const MEANING = {
  good: 'success',
  bug: 'a bug in loadflame',
  usage: 'wrong use',
  missing: 'something is missing on this machine',
  refused: 'the target, a cluster or the identity provider refused',
  threshold: 'a limit was missed',
  invalid: 'the measurement is not valid',
  interrupted: 'interrupted',
};

/** What is below the headings of codes that no error has, or not only. @type {Partial<Record<keyof typeof EXIT, string>>} */
const MORE = {
  bug: 'It prints a stack; please report it.',
  threshold:
    'The run is valid, but a threshold, `ensure` or `expect` failed, more failed than [ALLOWED_FAILURES](settings.md) allows (1 %), or over 20 % of the arrivals were dropped.',
  invalid:
    'Nothing was sent, the server exited, most requests failed, or a scenario or an endpoint (almost) never succeeded. Also:',
  interrupted: 'What was measured is kept and reported as partial. Also:',
};

/** @returns {string} docs/errors.md */
export function renderErrorsDoc() {
  const sections = Object.entries(EXIT).map(([name, exit]) => {
    const errors = Object.entries(ERRORS).filter(([, [own]]) => own === exit);
    const list = errors.map(
      ([code, [, message]]) => `- \`${code}\`: ${message.replaceAll('\n', '<br>')}\n`,
    );
    const id = /** @type {keyof typeof EXIT} */ (name);
    const parts = [`## ${exit}: ${MEANING[id]}\n`, MORE[id] && `${MORE[id]}\n`, list.join('')];
    return parts.filter(Boolean).join('\n');
  });
  return `# Errors and exit codes

Each error has a code and a message, in which \`{name}\` stands for a value. **The terminal adds a hint with what to do next.** In scripts, match the code, never the text.

In CI, exit code 5 means that your API missed a limit. 6: the figures say nothing about your API, so repair the run first. 2, 3 and 4: usually, the run never began. When several apply, the first of 130, 3, 6 and 5 wins. A search (\`--find\`) that runs out of time ends with 0 if a load is known to keep the limits, else with 6.

${sections.join('\n')}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(FILE, renderErrorsDoc());
