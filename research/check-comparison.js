/**
 * `node research/check-comparison.js`: how often comparisons with known truth call what. It loads nothing, and takes a
 * minute. `research/remedies/run.js` holds comparisons and predictions against real fixes.
 */
import { countCalls } from './check-comparison/compare-numbers.js';

const endpoints = [...'abcdefgh'];
/** @type {({title: string} & Partial<Parameters<typeof countCalls>[0]>)[]} */
const ROWS = [
  { title: 'equal programs', together: 0 },
  { title: 'equal programs, drift 8 %' },
  { title: 'one of 8 endpoints 14.8 → 3.8 ms', alone: 0.05, fixes: { a: 3.8 / 14.8 } },
  { title: 'one −16 %, no drift', together: 0, fixes: { a: 0.84 } },
  { title: 'one −16 %, drift 8 %', fixes: { a: 0.84 } },
  { title: 'one −16 %, drift 8 %, 8 against 4', runs: 8, after: 4, fixes: { a: 0.84 } },
  { title: 'two −20 %, drift 8 %', fixes: { a: 0.8, b: 0.8 } },
  { title: 'all but one −10 %, drift 8 %', fixes: { a: 1 }, all: 0.9 },
];

console.table(
  ROWS.map(({ title, ...spec }) => {
    const facts = { comparisons: 400, runs: 4, endpoints, together: 0.08, alone: 0.02, ...spec };
    const percents = Object.entries(countCalls(facts)).map(([id, part]) => [
      id,
      Math.round(100 * part),
    ]);
    return { 'of 400 comparisons, in %': title, ...Object.fromEntries(percents) };
  }),
);
