/** A figure that a study tells in two places is the same in both, whatever was measured. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatInUnit } from '../../../../lib/base/format.js';
import { mean } from '../../../../lib/base/math/summary.js';
import { renderStudyCsv } from '../../../../lib/report/study/render-csv.js';
import { printStudy, studyToMarkdown } from '../../../helpers/print-documents.js';
import {
  contentStudy,
  serveByWorkers,
  taskStudy,
} from '../../../helpers/synthetic-study/examples.js';
import { judgeSpec } from '../../../helpers/synthetic-study/judge-spec.js';

/** @typedef {ReturnType<typeof judgeSpec>} StudyReport */
/** @import { StudySpec } from '../../../helpers/synthetic-study/study-spec.d.ts' */

const noise = { noise: 0.08, noiseWithin: 0.1 };
/** @type {Record<string, StudySpec>} */
const KINDS = {
  content: { ...contentStudy, ...noise },
  tasks: { ...taskStudy, ...noise },
  open: {
    ...noise,
    factors: { workers: ['1', '2'] },
    model: 'open',
    steps: [50, 100, 200, 400],
    truth: ({ workers }) => ({
      ...serveByWorkers(Number(workers), { demandMs: 4 }),
      throughput: step => Math.min(step, Number(workers) * 150),
    }),
  },
  'two steps': {
    ...noise,
    steps: [16, 32],
    truth: ({ workers }) => serveByWorkers(Number(workers), { demandMs: 3 }),
  },
};

for (const [name, spec] of Object.entries(KINDS))
  for (const repeats of [1, 2, 3, 4])
    for (const durationSec of [4, 12])
      test(`${name}, ${repeats} × ${durationSec} s`, () => {
        for (let seed = 1; seed <= 3; seed++) {
          const report = judgeSpec({ ...spec, repeats, durationSec, seed });
          assertComparisonsAgree(report);
          assertScalingAgrees(report);
          assertCostsAgree(report);
          assertCapacityAgrees(report);
          assertCsvAgrees(report);
          assertTablesAgree(report);
          assertIntervalsAreThose(report);
        }
      });

/** @param {number | null | undefined} one @param {number | null | undefined} other @param {string} what */
function assertSame(one, other, what) {
  const [a, b] = [one ?? NaN, other ?? NaN];
  assert.ok(Math.abs(a - b) <= 1e-9 * Math.abs(b), `${what}: ${a} and ${b}`);
}

/** The figures of a variant at the steps whose figures a comparison compares; null where it has none of them. @param {StudyReport} report @param {string} id @param {number[]} steps */
function figuresAt({ variants }, id, steps) {
  const variant = variants.find(one => one.id === id);
  const [point, ...more] = variant?.points.filter(({ step }) => steps.includes(step)) ?? [];
  if (point && more.length === 0)
    return { ...point, p95Ms: point.latency && { value: point.latency.p95Ms } };
  if (variant?.plateau.steps.join() !== steps.join()) return null;
  const { throughputPerSec } = variant.saturation;
  return { ...variant.plateau, throughputPerSec, p95Ms: null };
}

/** @param {StudyReport} report */
function assertComparisonsAgree(report) {
  for (const one of report.comparisons) {
    const { measure, before, after, steps, beforeValue, afterValue, relative, label: text } = one;
    const sides = /** @type {const} */ ([
      [before, steps[0], beforeValue],
      [after, steps[1], afterValue],
    ]);
    for (const [id, own, value] of sides) {
      const figures = figuresAt(report, id, own);
      if (figures) assertSame(value, figures[measure]?.value, `${text} (${id})`);
    }
    const change = (afterValue ?? NaN) / (beforeValue ?? NaN) - 1;
    assertSame(relative?.value, change, text);
    const { low = null, high = null } = relative ?? {};
    if (low !== null && high !== null) assert.ok(low <= change && change <= high, text);
    const cost = report.comparisons.find(
      other =>
        other.measure === 'cpuMsPerTransaction' && other.before === before && other.after === after,
    );
    if (measure === 'perBusyCore')
      assertSame((beforeValue ?? 0) * (cost?.beforeValue ?? 0), 1000, text);
  }
}

/** @param {StudyReport} report */
function assertScalingAgrees({ scaling, variants }) {
  for (const { points } of scaling)
    for (const [
      index,
      { variant, value, throughputPerSec, gain, efficiency },
    ] of points.entries()) {
      const own = variants.find(({ id }) => id === variant);
      assert.deepEqual(throughputPerSec, own?.saturation.throughputPerSec);
      const [first, before] = [points[0], points[index - 1]];
      const over = (/** @type {typeof first} */ other) =>
        throughputPerSec.value / (other?.throughputPerSec.value ?? 0);
      assertSame(efficiency.value, (over(first) * (first?.value ?? 0)) / value, variant);
      if (before) assertSame(gain?.value, over(before) - 1, variant);
    }
}

/** What a transaction costs the workers is shown as a cost and as what a core gives. @param {StudyReport} report */
function assertCostsAgree({ variants }) {
  for (const { label, points, plateau, saturation } of variants) {
    for (const { perBusyCore, cpuMsPerTransaction } of [...points, plateau])
      assertSame((perBusyCore?.value ?? 0) * (cpuMsPerTransaction?.value ?? 0), 1000, label);
    const [only, ...more] = points.filter(({ step }) => plateau.steps.includes(step));
    if (more.length === 0) assert.deepEqual(saturation.throughputPerSec, only?.throughputPerSec);
  }
}

/** @param {StudyReport} report */
function assertCapacityAgrees({ capacity, variants }) {
  for (const { variant, basis, broken, capacityPerSec, text } of capacity?.variants ?? []) {
    const own = variants.find(({ id }) => id === variant);
    if (broken === null && basis === 'measured')
      assert.deepEqual(capacityPerSec, own?.saturation.throughputPerSec, text);
    if (basis === 'at-least' && own?.saturation.state === 'not-reached')
      assert.deepEqual(capacityPerSec, own.saturation.throughputPerSec, text);
  }
}

/** @param {StudyReport} report */
function assertCsvAgrees(report) {
  const [head = [], ...rows] = renderStudyCsv(report)
    .trim()
    .split('\r\n')
    .map(line => line.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/));
  const at = (/** @type {RegExp} */ name) => head.findIndex(own => name.test(own));
  for (const { label, points } of report.variants)
    for (const { step, throughputPerSec } of points) {
      const own = rows.filter(
        row => row[0]?.replaceAll('"', '') === label && Number(row[at(/^step/)]) === step,
      );
      const rates = own.map(row => Math.log(Number(row[at(/^throughput/)])));
      const value = Math.exp(mean(rates));
      assert.ok(Math.abs(value / throughputPerSec.value - 1) < 1e-4, `${label} at ${step}`);
    }
}

/** Tables of Markdown: title → head and rows. @param {string} text */
function readTables(text) {
  return new Map(
    text.split('\n#### ').map(part => {
      const lines = part.split('\n').filter(line => line.startsWith('|'));
      const cells = lines.map(line =>
        line
          .split('|')
          .slice(1, -1)
          .map(cell => cell.trim()),
      );
      const [head = [], , ...rows] = cells;
      return [
        part.split('\n')[0] ?? '',
        rows.map(row => Object.fromEntries(head.map((name, index) => [name, row[index] ?? '']))),
      ];
    }),
  );
}

/** What Markdown says of a variant in its table is what it says of it among the pairs. @param {StudyReport} report */
function assertTablesAgree(report) {
  const tables = readTables(studyToMarkdown(report));
  const rows = tables.get('Variants beside each other') ?? [];
  /** @type {[measure: string, column: string, unit: 'perSec' | 'ms'][]} */
  const columns = [
    ['throughputPerSec', 'most', 'perSec'],
    ['perBusyCore', 'per busy core', 'perSec'],
    ['cpuMsPerTransaction', 'CPU each', 'ms'],
    ['p95Ms', 'p95', 'ms'],
  ];
  for (const { id, label, plateau } of report.variants) {
    const row = rows.find(one => one[''] === label) ?? {};
    for (const { before, measure, steps, beforeValue, label: text } of report.comparisons) {
      const isOfRow =
        measure === 'p95Ms'
          ? steps[0].join() === String(plateau.steps[0])
          : steps[0].join() === plateau.steps.join();
      if (before !== id || !isOfRow) continue;
      for (const [own, column, unit] of columns) {
        if (own !== measure) continue;
        const told = row[column]
          ?.replace(/^≥ /, '')
          .replace(/ (?:±|\().*/, '')
          .replace('/s', '');
        assert.equal(told, formatInUnit(beforeValue, unit).replace('/s', ''), `${text}: ${column}`);
      }
    }
  }
}

/** Reports no interval where there is none. @param {StudyReport} report */
function assertIntervalsAreThose(report) {
  const measured = report.variants.flatMap(({ points, plateau, saturation }) => [
    ...points.map(({ throughputPerSec }) => throughputPerSec),
    plateau.perBusyCore,
    saturation.throughputPerSec,
  ]);
  const isKnown = measured.some(estimate => typeof estimate?.low === 'number');
  for (const text of [studyToMarkdown(report), printStudy(report, { width: 400 })]) {
    if (!isKnown) assert.doesNotMatch(text, /\d(?:\/s| ms)? (?:± |\([\d,.]+ to )\d/);
  }
  for (const { step, cells, throughputPerSec } of report.variants.flatMap(({ points }) => points))
    assert.equal(throughputPerSec.low !== null, cells > 2, `step ${step}`);
}
