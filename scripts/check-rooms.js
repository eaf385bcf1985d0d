/**
 * Holds the house to its plan: which room imports which, that rooms of facts hold no sentences, and that files are
 * written in one way.
 */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { findWriters } from './house/find-writers.js';
import { readCode } from './house/read-code.js';
import { COMMON, FACTS, MAY_IMPORT, SPEAKS, WRITES } from './house/rooms.js';

/** @type {string[]} */
const problems = [];
const files = globSync('lib/**/*.js').sort();
const codes = new Map(files.map(file => [file, readCode(readFileSync(file, 'utf8'))]));

checkImports();
checkWords();
checkWriters();
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;

/** `lib/record/load/x.js` → `record`; `lib/session.js` → `session.js`. @param {string} file */
function roomOf(file) {
  return file.split('/')[1] ?? '';
}

function checkImports() {
  for (const [file, { code, texts }] of codes) {
    const from = roomOf(file);
    for (const { text, at } of texts) {
      if (!text.startsWith('.') || !/(\bfrom|\bimport|\bimport\()\s*$/.test(code.slice(0, at)))
        continue;
      const target = path.join(path.dirname(file), text);
      if (!target.startsWith('lib/')) continue;
      const to = roomOf(target);
      const allowed = MAY_IMPORT[from] ?? [];
      if (to === from || COMMON.includes(to) || allowed.includes(to) || allowed.includes('*'))
        continue;
      const why = from in MAY_IMPORT ? `${from} may not import ${to}` : `there is no room ${from}`;
      problems.push(`${file}: ${why} (scripts/house/rooms.js)`);
    }
  }
}

function checkWords() {
  const silent = files.filter(
    file => FACTS.includes(roomOf(file)) && !SPEAKS.some(([start]) => file.startsWith(start)),
  );
  for (const file of silent) {
    const words = findWords(file);
    if (words) problems.push(`${file}: ${words}; facts here, words in lib/text/`);
  }
}

/** Links are followed and modes forgotten where anybody opens files for writing as they like. */
function checkWriters() {
  for (const [file, code] of codes) {
    if (WRITES.some(([known]) => known === file)) continue;
    for (const call of findWriters(code))
      problems.push(
        `${file}: ${call}; lib/files/own-files.js and lib/files/replace-file.js write (scripts/house/rooms.js)`,
      );
  }
}

/** What of a file is meant for people. @param {string} file @returns {string | null} */
function findWords(file) {
  const { code, texts } = codes.get(file) ?? { code: '', texts: [] };
  const call = /(?<![.\w])format[A-Z]\w*(?=\()/.exec(code.replace(/\bfunction format\w+\(/g, ''));
  if (call) return `calls ${call[0]}`;
  const errors = listErrors(code);
  const sentence = texts.find(
    ({ text, at }) =>
      /(?:[a-z][\w'’-]*[,;:]? ){3,}[a-z]/i.test(text) &&
      !errors.some(({ from, to }) => at > from && at < to),
  );
  return sentence ? `says "${sentence.text.slice(0, 50)}"` : null;
}

/** Where errors are made: what they say is for whoever maintains this, or stands in lib/errors.js. @param {string} code */
function listErrors(code) {
  return [...code.matchAll(/new \w*Error\(/g)].map(({ index, 0: start }) => {
    let open = 1;
    let at = index + start.length;
    for (; at < code.length && open > 0; at += 1) {
      if (code[at] === '(') open += 1;
      else if (code[at] === ')') open -= 1;
    }
    return { from: index, to: at };
  });
}
