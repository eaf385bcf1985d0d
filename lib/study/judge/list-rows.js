/** Every cell as a row of the table: what was measured, what failed, what is missing. */
import { isGeneratorLimit } from './generator-limit.js';

/** @import { CellRow } from '../study-report.d.ts' */
/** @import { Cell } from './collect-cells.js' */

/** Share of requests from which on failures stand out. */
const FEW_ERRORS = 0.01;
const MANY_ERRORS = 0.1;

/** @param {Cell[]} cells @returns {CellRow[]} */
export function listRows(cells) {
  return cells.map(cell => {
    const { variant, repeat, step, purpose, folder, outcome, reason, figures } = cell;
    return {
      variant,
      repeat,
      step,
      kind: purpose,
      folder,
      outcome,
      reason,
      throughputPerSec: figures?.throughputPerSec ?? null,
      p50Ms: figures?.latency?.p50Ms ?? null,
      p95Ms: figures?.latency?.p95Ms ?? null,
      p99Ms: figures?.latency?.p99Ms ?? null,
      errorRate: figures ? figures.errors / Math.max(1, figures.requests) : null,
      cores: Object.fromEntries(
        (figures?.components ?? []).map(({ name, cores }) => [name, cores]),
      ),
      hostCores: figures?.host?.cores ?? null,
      severity: rateCell(cell),
    };
  });
}

/** @param {Cell} cell @returns {CellRow['severity']} */
function rateCell({ outcome, figures }) {
  if (outcome === 'failed') return 'bad';
  if (!figures) return 'warn';
  const errorRate = figures.errors / Math.max(1, figures.requests);
  if (errorRate > MANY_ERRORS || !(figures.throughputPerSec > 0)) return 'bad';
  return errorRate > FEW_ERRORS || isGeneratorLimit(figures) ? 'warn' : 'good';
}
