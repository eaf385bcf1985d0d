/** The plan of a synthetic study, with defaults for all that a test does not care about. */
import { createRandom } from '../synthetic-run/random.js';

/** @import { Study } from '../../../lib/run/facts/study-file.d.ts' */
/** @import { StudyPlan, Variant } from '../../../lib/run/facts/study-records.d.ts' */
/** @import { StudySpec } from './study-spec.d.ts' */

/** @param {StudySpec} spec @returns {StudyPlan} */
export function makePlan(spec) {
  const study = makeStudyFile(spec);
  const variants = listVariants(study, spec.exclude ?? []);
  const seed = spec.seed ?? 1;
  const random = createRandom(seed);
  const blocks = Array.from({ length: study.repeats }, (_, index) => index + 1).flatMap(repeat =>
    variants
      .map(({ id }) => ({ variant: id, repeat, order: random.uniform() }))
      .sort((a, b) => a.order - b.order)
      .map(({ variant }) => ({ variant, repeat })),
  );
  const steps = Array.isArray(study.load.steps) ? study.load.steps.length : 0;
  const cells = blocks.length * steps;
  const cellSec = study.warmUpSec + study.durationSec + study.settleSec;
  return {
    schema: 'loadflame-study-plan/1',
    study,
    seed,
    variants,
    blocks,
    estimate: { cells, seconds: cells * cellSec },
  };
}

/** @param {StudySpec} spec @returns {Study} */
function makeStudyFile(spec) {
  const factors = spec.factors ?? { workers: ['1', '2'] };
  return {
    name: 'synthetic',
    file: '/studies/synthetic.yaml',
    sha256: '0'.repeat(64),
    isQuick: false,
    title: 'A study that nobody ran',
    question: 'How many workers are worth having?',
    factors: Object.entries(factors).map(([name, labels]) => ({
      name,
      values: labels.map(label => ({ label, fields: {} })),
    })),
    exclude: spec.exclude ?? [],
    ports: [],
    services: [],
    target: { url: 'http://127.0.0.1:8000', gunicorn: { service: 'api' } },
    settings: {},
    scenario: { inline: {} },
    load: {
      model: spec.model ?? 'closed',
      steps: spec.steps ?? [1, 2, 4, 8, 16, 32],
      untilSaturated: false,
      stop: { gain: 0.05, p95Ms: null, errors: 0.01, skipped: 0.01 },
    },
    warmUpSec: 5,
    durationSec: spec.durationSec ?? 20,
    settleSec: 2,
    repeats: spec.repeats ?? 3,
    record: { profile: 'off', processes: [], probes: [] },
    answers: 'requests',
    throughput: null,
    stages: [],
    scaleOver: 'workers' in factors ? 'workers' : null,
    objective: null,
    ...spec.study,
  };
}

/** @param {Study} study @param {Record<string, string[]>[]} exclude @returns {Variant[]} */
function listVariants({ factors }, exclude) {
  /** @type {Record<string, string>[]} */
  let combinations = [{}];
  for (const { name, values } of factors)
    combinations = combinations.flatMap(one =>
      values.map(({ label }) => ({ ...one, [name]: label })),
    );
  const isLeftOut = (/** @type {Record<string, string>} */ one) =>
    exclude.some(match =>
      Object.entries(match).every(([name, labels]) => labels.includes(one[name] ?? '')),
    );
  return combinations
    .filter(one => !isLeftOut(one))
    .map(one => ({ id: describe(one, '='), label: describe(one, ' '), factors: one }));
}

/** @param {Record<string, string>} factors @param {string} glue */
function describe(factors, glue) {
  const parts = Object.entries(factors).map(([name, label]) =>
    glue === ' ' && name === 'workers'
      ? `${label} ${label === '1' ? 'worker' : 'workers'}`
      : `${name}${glue}${label}`,
  );
  return parts.join(glue === ' ' ? ', ' : ',') || 'all';
}
