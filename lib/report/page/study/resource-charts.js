import { formatCores, formatCount } from '../../../format.js';
import { formatStep, labelComponent } from '../../../text/study-words.js';
import { bulletList, h, lede, swatch } from '../dom.js';
import { makeLoadChart, scaleOfSteps } from './load-chart.js';
import { variantKey } from './variants.js';

/** @import { Point, StudyReport, VariantReport } from '../../../text/study-report.d.ts' */
/** @import { Chart } from './load-chart.js' */
/** @import { VariantPicks } from './variants.js' */

/** Layers of components, in their order; after E. Okabe and K. Ito. */
const LAYERS = ['--s-one', '--s-two', '--s-three', '--s-four', '--s-five', '--s-six', '--s-memory'];

/** Who uses the machine as load rises, and how much memory. @param {StudyReport} report @param {VariantPicks} picks */
export function makeResourceCharts(report, picks) {
  const measured = report.variants
    .map((variant, index) => ({ variant, index }))
    .filter(({ variant }) => variant.points.some(point => layersOf(point).length > 0));
  if (measured.length === 0) return null;
  const cpus = report.study.host?.cpus ?? null;
  const points = measured.flatMap(({ variant }) => variant.points);
  const highest = Math.max(
    0.1,
    1.1 * (cpus ?? 0),
    ...points.flatMap(point => [point.hostCores ?? 0, totalOf(point)]),
  );
  const cards = measured.map(({ variant, index }) =>
    h(
      'div',
      { class: 'resource' },
      makeLoadChart(() => describeCores(variant, report, highest), null, {
        height: 190,
        heading: h('h3', {}, variantKey(index), variant.label),
      }),
    ),
  );
  const show = () => {
    for (const [place, { variant }] of measured.entries())
      cards[place]?.toggleAttribute('hidden', !picks.isShown(variant.id));
  };
  picks.subscribe(show);
  show();
  const machine = cpus
    ? ` The dashed line is the machine with its ${formatCount(cpus)} cores.`
    : '';
  return [
    lede(
      `Cores in use over load, stacked by component. The dotted line is the whole machine; the gap is background load.${machine}`,
    ),
    bulletList(
      report.components.map(({ label }, index) => [layerKey(index), label]),
      { class: 'layer-legend' },
    ),
    h('div', { class: 'resources' }, cards),
  ];
}

/** @param {number} index */
const layerColor = index => LAYERS[index % LAYERS.length] ?? '--muted';

/** @param {number} index of a component */
function layerKey(index) {
  const square = swatch('');
  square.style.backgroundColor = `var(${layerColor(index)})`;
  return square;
}

/** Cores by component; the generator's stand for themselves in a Point. @param {Point} point */
function layersOf({ components, generatorCores }) {
  return [
    ...components.map(({ name, cores }) => ({ name, cores })),
    ...(generatorCores === null ? [] : [{ name: 'generator', cores: generatorCores }]),
  ];
}

/** @param {Point} point */
const totalOf = point => layersOf(point).reduce((sum, { cores }) => sum + cores, 0);

/** @param {VariantReport} variant @param {StudyReport} report @param {number} highest cores @returns {Chart} */
function describeCores({ points, label }, report, highest) {
  const { components, load, study } = report;
  const layers = components
    .map(({ name, label: title }, index) => ({ name, title, index }))
    .filter(({ name }) => points.some(point => layersOf(point).some(own => own.name === name)));
  const series = layers.map(({ title, index }, layer) => ({
    name: title,
    color: layerColor(index),
    width: 0.5,
    points: points.map(point => {
      const cores = layers.map(
        ({ name }) => layersOf(point).find(own => own.name === name)?.cores ?? 0,
      );
      const below = cores.slice(0, layer + 1).reduce((sum, own) => sum + own, 0);
      return { x: point.step, y: below, text: formatCores(cores[layer] ?? 0) };
    }),
  }));
  const machine = {
    name: 'whole machine',
    color: '--ink',
    dash: [2, 2],
    width: 1.5,
    isLine: true,
    points: points.flatMap(({ step, hostCores }) =>
      hostCores === null ? [] : { x: step, y: hostCores },
    ),
  };
  const last = points.at(-1);
  const cores =
    last &&
    layersOf(last).map(
      ({ name, cores: own }) => `${labelComponent(name, report)} ${formatCores(own)}`,
    );
  return {
    title: '',
    about: `Cores in use over load of ${label}${last ? `; at ${formatStep(last.step, report)}: ${cores?.join(', ')}` : ''}`,
    xLabel: load.unit === 'users' ? 'virtual users' : load.unit,
    yLabel: 'cores',
    x: scaleOfSteps(points.map(({ step }) => step)),
    y: { isLog: false, low: 0, high: highest },
    formatX: formatCount,
    sayX: step => `${formatStep(step, report)}, cores`,
    formatY: formatCores,
    // upper layers first, so that lower ones cover them
    series: [...series.toReversed(), machine],
    isStacked: true,
    ...(study.host && {
      marks: [{ along: 'y', at: study.host.cpus, label: `${formatCount(study.host.cpus)} cores` }],
    }),
  };
}
