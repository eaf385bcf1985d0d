/** Is the measurement to be believed: valid, doubtful or invalid, and why. */
import { judgeValidity } from './validity.js';

/** @typedef {import('./report.d.ts').QualityItem} QualityItem */

/**
 * Checks of `quality` that cast doubt on the figures when they are not ok, the gravest first. The others
 * tell something about the target, or of figures that are shown with their own warning.
 */
const DOUBTS = [
  'generator-limit',
  'full-machine',
  'throttled-generator',
  'counts-agree',
  'littles-law',
  'littles-law-users',
  'skipped-arrivals',
  'intended-start',
  'samples',
  'segments',
  'sampling-errors',
  'late',
  'samples-to-cpu',
];

/**
 * @param {import('./report.d.ts').LoadReport | null} load
 * @param {QualityItem[]} quality
 * @returns {import('./report.d.ts').Validity}
 */
export function judgeMeasurement(load, quality) {
  const invalid = load && judgeValidity(load);
  const doubts = DOUBTS.flatMap(id =>
    quality
      .filter(item => item.id === id && item.level !== 'ok')
      .map(({ text }) => ({ id, level: /** @type {const} */ ('doubtful'), text })),
  );
  const reasons = [
    ...(invalid
      ? [
          {
            id: invalid.id,
            level: /** @type {const} */ ('invalid'),
            text: `${invalid.reason.charAt(0).toUpperCase()}${invalid.reason.slice(1)}.`,
          },
        ]
      : []),
    ...doubts,
  ];
  return { level: reasons[0]?.level ?? 'valid', reasons };
}
