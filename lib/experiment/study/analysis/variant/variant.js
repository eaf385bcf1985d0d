/** One variant: its steps, where it saturates, what it costs. Its bottleneck follows once all variants are known. */

import { isGeneratorLimit } from '../bottleneck/generator-limit.js';
import { fitUsl } from './fit-usl.js';
import { buildPoints, createEstimator } from './points.js';
import { findSaturation, saturatedSteps } from './saturation.js';

/** @import { Cell } from '../cells.js' */
/** @import { Variant } from '../../../../run/facts/study-records.d.ts' */
/** @import { LoadModel, Point, VariantReport } from '../../../../run/facts/study-report.d.ts' */
/** @import { EstimateSteps } from './points.js' */

/**
 * @typedef {Pick<VariantReport, 'id' | 'label' | 'factors' | 'points' | 'saturation' | 'plateau' | 'usl' |
 *   'drain'>} MeasuredVariant
 */

/**
 * @param {Variant} variant
 * @param {Cell[]} cells measured ones of it
 * @param {{api: string[], random: () => number, model: LoadModel, isPipeline: boolean, base?: number}} options
 * @returns {MeasuredVariant}
 */
export function measureVariant(variant, cells, { api, random, model, isPipeline, base }) {
  const points = buildPoints(cells, api);
  const estimate = createEstimator(cells, api);
  const isBurst = model === 'burst';
  const saturation = findSaturation(points, estimate, { isBurst, isPipeline, base });
  const plateau = saturatedSteps(points, saturation);
  const inFlight = cells.flatMap(({ step, figures }) => {
    if (!figures?.inFlightMean) return [];
    const { inFlightMean: n, throughputPerSec: x } = figures;
    return { step, n, x, isGeneratorLimit: isGeneratorLimit(figures) };
  });
  return {
    ...variant,
    points,
    saturation,
    plateau: measurePlateau(plateau, estimate),
    usl: fitUsl(inFlight, { random }),
    ...(isBurst && { drain: describeDrain(plateau.at(-1)) }),
  };
}

/** @param {Point[]} points of it @param {EstimateSteps} estimate @returns {VariantReport['plateau']} */
function measurePlateau(points, estimate) {
  const steps = points.map(({ step }) => step);
  return {
    steps,
    perBusyCore: estimate(steps, 'perBusyCore')?.estimate ?? null,
    cpuMsPerTransaction: estimate(steps, 'cpuMsPerTransaction')?.estimate ?? null,
  };
}

/** @param {Point | undefined} point @returns {VariantReport['drain']} */
function describeDrain(point) {
  if (!point) return null;
  const { step, dispatchPerSec, throughputPerSec: completionPerSec, drainSec = null } = point;
  return { step, dispatchPerSec, completionPerSec, drainSec };
}
