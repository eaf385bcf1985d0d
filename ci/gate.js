/**
 * What the two jobs of a gate share: facts in a file, and their Markdown. The first job runs code of strangers, so
 * nothing in the file is trusted: its shape is checked, and each text in it is escaped.
 */
import { lstatSync } from 'node:fs';
import path from 'node:path';
import { plainText } from '../lib/base/files/plain-text.js';
import { printMarkdown } from '../lib/report/print/markdown.js';
import { codeSpan } from '../lib/report/print/markdown-text.js';
import { readShaped } from '../lib/run/folder-shapes.js';
import { wordComparison } from '../lib/text/comparison.js';
import { describeComparison } from '../lib/text/document/comparison.js';

/** @import { CompareReport } from '../lib/run/facts/compare-report.d.ts' */
/** @import { GateComparison, GateFacts } from '../lib/run/facts/gate.d.ts' */

export const FILE = 'gate.json';
export const SCHEMA = /** @type {const} */ ('loadflame-gate/1');
/** GitHub takes 65,536 characters. */
const LONGEST = 60_000;
const MOST_LINES = 20;
const LONGEST_LINE = 300;

/**
 * @param {string} folder of the first job
 * @returns {GateFacts}
 * @throws {Error} if there are none, or their shape is another one
 */
export function readGate(folder) {
  const file = path.join(folder, FILE);
  const complain = (/** @type {string} */ reason) => new Error(reason);
  // A link could lead to a file with a token.
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (stat && !stat.isFile()) throw complain(`${FILE} is not a regular file`);
  return readShaped(file, { name: 'gate', schema: SCHEMA }, complain);
}

/**
 * @param {GateFacts} facts
 * @param {string | undefined} address of the run with the artifact, as the build server names it
 * @returns {string} Markdown that ends in a line feed
 * @throws {Error} if a part of the facts needs another one that is not there
 */
export function renderGate({ comparison, exitCode, base, head, output }, address) {
  const text = comparison
    ? printMarkdown(describe(comparison), { extent: 'short' })
    : `**Not measured** (exit code ${exitCode}).\n\n${quote(output)}\n`;
  const commits = [base, head]
    .map(commit => codeSpan((commit ?? '?').slice(0, 10).toWellFormed()))
    .join(' → ');
  const run = address ? `[this run](${address})` : 'this run';
  return `${cut(text)}\n${commits}. The artifact of ${run} has the page with the differential flamegraph, and all runs.\n`;
}

/** @param {GateComparison} comparison */
function describe({ thresholds, ...comparison }) {
  try {
    return describeComparison(
      wordComparison(/** @type {CompareReport} */ (comparison), thresholds),
    );
  } catch (cause) {
    throw new Error(`${FILE}: its parts contradict one another`, { cause });
  }
}

/** Output of programs as a block of code, which no line of it can end. @param {string} text */
function quote(text) {
  const lines = plainText(text).trim().split('\n').slice(-MOST_LINES);
  return lines.map(line => `    ${line.slice(0, LONGEST_LINE).toWellFormed()}`).join('\n');
}

/** Ends after a whole line, because half a line may have lost the end of its code. @param {string} text */
function cut(text) {
  if (text.length <= LONGEST) return text;
  return `${text.slice(0, text.lastIndexOf('\n', LONGEST) + 1)}\n… (the artifact has the rest)\n`;
}
