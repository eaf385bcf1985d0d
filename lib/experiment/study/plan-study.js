import { randomInt } from 'node:crypto';
import { createRandom, shuffle } from '../../base/math/random.js';
import { listSteps, listVariants, matchesFactors } from './analysis/matrix.js';

/** @import { Study } from '../../run/facts/study-file.d.ts' */
/** @import { Block, PlanOutline, StudyPlan, Variant } from '../../run/facts/study-records.d.ts' */

/**
 * Time that a cell takes besides its load: preflight, start of the generator, report. 1 to 2 s on a quiet
 * machine with two cores.
 */
const CELL_OVERHEAD_SEC = 3;
/** Time until a service is ready: a tenth of this for a server written in C, twice this for one in Python. */
const SERVICE_START_SEC = 1;

/**
 * @param {Study} study
 * @param {object} [options]
 * @param {number | null} [options.seed] of the order; random by default
 * @returns {StudyPlan}
 */
export function planStudy(study, options = {}) {
  const seed = options.seed ?? randomInt(2 ** 32);
  const variants = listVariants(study);
  return {
    schema: 'loadflame-study-plan/1',
    study,
    seed,
    variants,
    blocks: orderBlocks(variants, study.repeats, createRandom(seed)),
    estimate: estimate(study, variants),
  };
}

/**
 * Each repeat covers all variants, so that changes over time affect all of them. The order within a repeat is random,
 * so that no variant always runs after the same other one.
 * @param {Variant[]} variants @param {number} repeats @param {() => number} random
 * @returns {Block[]}
 */
function orderBlocks(variants, repeats, random) {
  return Array.from({ length: repeats }, (_, index) =>
    shuffle([...variants], random).map(({ id }) => ({ variant: id, repeat: index + 1 })),
  ).flat();
}

/**
 * All steps in all blocks: an upper bound where a stop rule may end blocks earlier.
 * @param {Study} study @param {Variant[]} variants
 */
function estimate(study, variants) {
  const { repeats, services, record, load } = study;
  const profiles = record.profile === 'plateau' ? variants.length : 0;
  const cells = variants.length * repeats * listSteps(load).length + profiles;
  const loadSec = study.durationSec * (load.model === 'spike' ? 3 : 1);
  const cellSec = study.warmUpSec + loadSec + study.settleSec + CELL_OVERHEAD_SEC;
  const started = variants.flatMap(({ factors }) =>
    services.filter(({ when }) => matchesFactors(when, factors)),
  ).length;
  return { cells, seconds: Math.ceil(cells * cellSec + started * repeats * SERVICE_START_SEC) };
}

/** @param {StudyPlan} plan @returns {PlanOutline} */
export function outlinePlan({ study, variants }) {
  return {
    steps: listSteps(study.load),
    services: variants.map(({ factors }) =>
      study.services.filter(({ when }) => matchesFactors(when, factors)).map(({ name }) => name),
    ),
  };
}
