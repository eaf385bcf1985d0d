/** Sections of a study that show each variant at its plateau, and names of variants in their colours. */
import { formatBytes } from '../../base/format.js';
import { labelComponent } from '../components.js';
import {
  findPlateau,
  formatMost,
  formatSeconds,
  formatStep,
  labelVariant,
  VARIANT_COLORS,
} from '../study-words.js';
import {
  amount,
  column,
  drawing,
  facts,
  item,
  lede,
  list,
  onPage,
  paragraph,
  part,
  section,
  table,
} from './build.js';

/** @import { StudyReport } from '../study-report.d.ts' */
/** @import { StyledSpan } from './document.d.ts' */

const MOST_STEPS = 12;
const ABOUT_PROFILES =
  'Shares of the workers’ CPU, from one more cell with py-spy, which is not part of the figures above.';

/** @param {string} text @param {number} index of the variant @returns {StyledSpan} */
export const variant = (text, index) => ({
  text,
  color: `var(${VARIANT_COLORS[index % VARIANT_COLORS.length]})`,
});

/** @param {string} id @param {StudyReport} report */
export function variantName(id, report) {
  const index = report.variants.findIndex(one => one.id === id);
  return variant(labelVariant(id, report), Math.max(0, index));
}

/** Each variant at its highest throughput. @param {StudyReport} report */
export function describeVariants(report) {
  const perCore = `per core that the ${report.cpuOf} used; higher is better`;
  const cpuEach = `CPU of the ${report.cpuOf} per transaction; lower is better`;
  return section(
    'variants',
    'Variants beside each other',
    table(`Each variant at its highest throughput, ${report.throughputLabel}`, report.variants, [
      column('', ({ label }, index) => variant(label, index)),
      amount('most', formatMost, undefined, 'mean of the plateau; “≥”: it was still rising'),
      amount('from', own => formatStep(findPlateau(own)?.step ?? null, report)),
      amount('median', own => findPlateau(own)?.latency?.p50Ms ?? null, 'ms'),
      amount('p95', own => findPlateau(own)?.latency?.p95Ms ?? null, 'ms'),
      column('bottleneck', ({ bottleneck }) => bottleneck.text.name),
      amount('per busy core', ({ plateau }) => plateau.perBusyCore, 'perSec', perCore),
      amount('CPU each', ({ plateau }) => plateau.cpuMsPerTransaction, 'ms', cpuEach),
      amount('failed', own => findPlateau(own)?.errorRate ?? null, 'share'),
    ]),
  );
}

/** The bottleneck of each variant. @param {StudyReport} report */
export function describeBottlenecks(report) {
  const known = report.variants.filter(({ points }) => points.length > 0);
  const items = known.map(({ id, bottleneck: { text } }) => {
    const title = known.length > 1 ? [variantName(id, report), `: ${text.title}`] : text.title;
    return item(title, {}, onPage(facts(text.evidence)));
  });
  return section('bottlenecks', 'The bottleneck of each variant', list(items));
}

/** CPU and memory by component; shared memory is divided among processes if it is known. @param {StudyReport} report */
export function describeUse(report) {
  const rows = report.variants.flatMap((own, index) =>
    (findPlateau(own)?.components ?? []).map(component => ({ own, index, ...component })),
  );
  return section(
    'resources',
    'Who uses the machine',
    table(
      'Processes and memory of each component at the plateau',
      rows,
      [
        column('', ({ own, index }) => variant(own.label, index)),
        column('component', ({ name }) => labelComponent(name)),
        amount('cores', ({ cores }) => cores, 'cores'),
        amount('busiest process', ({ busiestCores }) => busiestCores, 'cores'),
        amount('processes', ({ processes }) => processes, 'count'),
        amount('memory', sayMemory),
      ],
      { most: MOST_STEPS },
    ),
  );
}

/** @param {{rssBytes: number, pssBytes: number | null}} component */
const sayMemory = ({ rssBytes, pssBytes }) =>
  pssBytes === null ? `${formatBytes(rssBytes)} resident` : formatBytes(pssBytes);

/** How fast bursts are accepted and completed. @param {StudyReport} report */
export function describeDrains({ variants }) {
  const rows = variants.flatMap(({ label, drain }, index) =>
    drain ? { label, index, ...drain } : [],
  );
  return section(
    'drains',
    'Bursts: accepted, done, over',
    table('How fast bursts are accepted and done (their middle 80 %), and when all is done', rows, [
      column('', ({ index, label }) => variant(label, index)),
      amount('at once', ({ step }) => step, 'count'),
      amount('accepted', ({ dispatchPerSec }) => dispatchPerSec, 'perSec'),
      amount('done', ({ completionPerSec }) => completionPerSec, 'perSec'),
      amount('all done after', ({ drainSec }) => formatSeconds(drainSec)),
    ]),
  );
}

/** Where CPU time goes at the plateau. @param {StudyReport} report */
export function describeWhy(report) {
  const profiles = report.variants.flatMap(({ why, label }, index) => {
    if (!why) return [];
    const text = `report at ${formatStep(why.step, report)}`;
    const link = [variant('', index), { text, href: `${why.folder}/report.html` }];
    const shares = drawing('shares', why.categories);
    return part(label, onPage(paragraph(link)), shares, list(why.sentences));
  });
  const title = 'Why: what the profile shows at the plateau';
  return section('why', title, profiles.length > 0 && [lede(ABOUT_PROFILES), ...profiles]);
}
