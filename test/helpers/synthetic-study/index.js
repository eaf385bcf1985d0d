/**
 * Studies that nobody ran: plan and journal of a target whose truth is known, with noise from a seed.
 * What the judging of a study says of them can be checked against that truth.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { hasEnded } from '../../../lib/experiment/strategies/steps.js';
import { createRandom } from '../synthetic-run/random.js';
import { makePlan } from './make-plan.js';
import { simulateCell } from './simulate-cell.js';

/** @import { JournalRecord, StudyPlan, CellKey } from '../../../lib/run/facts/study-records.d.ts' */
/** @import { StudySpec } from './study-spec.d.ts' */

const BEGIN_MS = Date.UTC(2026, 10, 22, 9, 0, 0);

/**
 * @param {StudySpec} spec
 * @returns {{plan: StudyPlan, journal: JournalRecord[], reports: Map<string, any>}} `reports`: what the
 *   `report.json` of the cells with a profile says, by folder
 */
export function makeStudy(spec) {
  const plan = makePlan(spec);
  const random = createRandom(plan.seed);
  /** @type {JournalRecord[]} */
  const journal = [];
  /** @type {Map<string, any>} */
  const reports = new Map();
  let nowMs = BEGIN_MS;
  const { study, variants, blocks } = plan;
  const steps = Array.isArray(study.load.steps) ? study.load.steps : [];
  const cellMs = (study.warmUpSec + study.durationSec) * 1000;
  const add = (/** @type {any} */ record) => journal.push({ t: nowMs, ...record });
  add({ kind: 'attempt', pid: 4711, pidStartTicks: 1, version: '1.0.0' });
  const fate = spec.fate ?? (() => 'measured');
  for (const { variant: id, repeat } of blocks) {
    const variant = variants.find(one => one.id === id);
    if (!variant) continue;
    const truth = spec.truth(variant.factors);
    add({ kind: 'block-start', variant: id, repeat });
    /** @type {CellKey[]} */
    const cells = steps.map(step => ({ variant: id, repeat, step, purpose: 'measure' }));
    if (truth.report && repeat === 1)
      cells.push({ variant: id, repeat, step: bestStep(truth, steps), purpose: 'profile' });
    let isInterrupted = false;
    for (const cell of cells) {
      const end = fate(cell);
      if (end === 'missing') {
        isInterrupted = true;
        continue;
      }
      add({ kind: 'cell-start', ...cell });
      const startMs = nowMs + study.warmUpSec * 1000;
      nowMs += cellMs;
      if (end !== 'measured') {
        add({ kind: 'cell-end', ...cell, folder: null, outcome: 'failed', reason: end });
      } else {
        const folder = `runs/${id.replaceAll(/[^\w]+/g, '-')}-${repeat}-${cell.step}-${cell.purpose}`;
        const figures = simulateCell({ truth, cell, study, startMs, random, spec });
        add({ kind: 'cell-end', ...cell, folder, outcome: 'measured', figures });
        if (cell.purpose === 'profile') reports.set(folder, truth.report);
      }
      nowMs += study.settleSec * 1000;
    }
    if (!isInterrupted) add({ kind: 'block-end', variant: id, repeat, stop: null, failure: null });
  }
  const isWhole = blocks.every(block => hasEnded(journal, block));
  add({
    kind: 'study-end',
    pid: 4711,
    reason: isWhole ? 'complete' : 'interrupted',
    message: null,
  });
  return { plan, journal: spec.isEmpty ? [] : journal, reports };
}

/**
 * The same as a folder on disk.
 * @param {string} folder is made
 * @param {ReturnType<typeof makeStudy>} made
 */
export function writeStudy(folder, { plan, journal, reports }) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'plan.json'), JSON.stringify(plan));
  const lines = journal.map(record => `${JSON.stringify(record)}\n`);
  writeFileSync(path.join(folder, 'journal.ndjson'), lines.join(''));
  for (const [run, report] of reports) {
    mkdirSync(path.join(folder, run), { recursive: true });
    writeFileSync(path.join(folder, run, 'report.json'), JSON.stringify(report));
  }
}

/** @param {import('./study-spec.d.ts').Truth} truth @param {number[]} steps */
function bestStep(truth, steps) {
  return steps.toSorted((a, b) => truth.throughput(b) - truth.throughput(a))[0] ?? 1;
}
