/** With what the server and the load of a run start again, so that a command can be printed whole. */

/** @import { Report } from '../../../run/facts/report.d.ts' */
/** @import { Again } from '../../../run/facts/verdict.d.ts' */

/** Words that a shell reads as they are inside of quotes, and a document inside of back ticks. */
const PRINTABLE = /^[ -_a-~]{1,200}$/;
const WORD = /(?:[^\s'\\]|'[^']*'|\\.)+/g;

/** How the user started the server and the load. The demo starts its own. @param {Report['run']} run @returns {Again} */
export function findStart({ command, script, settings }) {
  if (settings.some(({ source }) => source === 'demo')) return { words: [], missing: [] };
  const typed = (command ?? '').match(WORD) ?? [];
  const words = typed.map(word => word.replace(/'([^']*)'|\\(.)/g, '$1$2'));
  const at = words.findIndex(word => /^--command(?:=|$)/.test(word));
  const own = words[at] === '--command' ? words[at + 1] : words[at]?.replace('--command=', '');
  const target = settings.find(({ name, source }) => name === 'TARGET' && source === 'flag');
  const known = { command: own, script: script?.name };
  const isKnown = (/** @type {'command' | 'script'} */ id) =>
    PRINTABLE.test(known[id] ?? '') && !/^-|\[redacted\]/.test(known[id] ?? '');
  return {
    words: [
      ...(isKnown('command') ? ['--command', known.command ?? ''] : []),
      ...(target && PRINTABLE.test(target.value) ? ['--target', target.value] : []),
      ...(isKnown('script') ? [known.script ?? ''] : []),
    ],
    missing: /** @type {const} */ (['command', 'script']).filter(id => !isKnown(id)),
  };
}
