import { formatBytes, formatCores, formatCount } from '../../../format.js';
import { findPlateau, formatStep, labelComponent } from '../../study/study-words.js';
import { h, section, swatch } from '../dom.js';
import { table } from '../table.js';
import { makeLoadChart } from './load-chart.js';
import { scaleOfSteps } from './load-scale.js';
import { variantKey } from './variant-picks.js';

/** @import { Point, StudyReport, VariantReport } from '../../../study/study-report.d.ts' */
/** @import { Chart } from './load-chart.js' */
/** @import { VariantPicks } from './variant-picks.js' */

/** Layers of components, in their order; after E. Okabe and K. Ito. */
const LAYERS = ['--s-one', '--s-two', '--s-three', '--s-four', '--s-five', '--s-six', '--s-memory'];

/** Who uses the machine as load rises, and how much memory. @param {StudyReport} report @param {VariantPicks} picks */
export function renderResources(report, picks) {
  const measured = report.variants
    .map((variant, index) => ({ variant, index }))
    .filter(({ variant }) => variant.points.some(point => layersOf(point).length > 0));
  if (measured.length === 0) return null;
  const highest = Math.max(
    0.1,
    ...measured.flatMap(({ variant }) => variant.points.map(({ hostCores }) => hostCores ?? 0)),
    ...measured.flatMap(({ variant }) => variant.points.map(totalOf)),
    1.1 * (report.study.host?.cpus ?? 0),
  );
  const cards = measured.map(({ variant, index }) => {
    const chart = makeLoadChart(() => describeCores(variant, report, highest), { height: 190 });
    const card = h('div', { class: 'resource' }, chart.element);
    chart.element.prepend(h('h3', {}, variantKey(index), variant.label));
    return { id: variant.id, card };
  });
  const show = () => {
    for (const { id, card } of cards) card.hidden = !picks.isShown(id);
  };
  picks.subscribe(show);
  show();
  return section(
    'resources',
    'Who uses the machine',
    h(
      'p',
      { class: 'lede' },
      `Cores in use over load, stacked by component; the dotted line is what the whole machine used, with what no component is.${report.study.host ? ` The dashed line is the machine with its ${formatCount(report.study.host.cpus)} cores.` : ''}`,
    ),
    h(
      'ul',
      { class: 'layer-legend' },
      report.components.map(({ label }, index) => h('li', {}, layerKey(index), label)),
    ),
    h(
      'div',
      { class: 'resources' },
      cards.map(({ card }) => card),
    ),
    renderProcesses(measured, report),
  );
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
    dash: [],
    width: 0.5,
    points: points.map(point => {
      const cores = layers.map(
        ({ name }) => layersOf(point).find(own => own.name === name)?.cores ?? 0,
      );
      const below = cores.slice(0, layer + 1).reduce((sum, own) => sum + own, 0);
      return { x: point.step, y: below, text: formatCores(cores[layer] ?? 0) };
    }),
  }));
  const last = points.at(-1);
  return {
    title: '',
    about: `Cores in use over load of ${label}${last ? `; at ${formatStep(last.step, report)}: ${describeLayers(last, report)}` : ''}`,
    xLabel: load.unit === 'users' ? 'users' : 'arrivals per second',
    yLabel: 'cores',
    x: scaleOfSteps(points.map(({ step }) => step)),
    y: { isLog: false, low: 0, high: highest },
    formatX: formatCount,
    sayX: step => `${formatStep(step, report)}, cores`,
    formatY: formatCores,
    // upper layers first, so that lower ones cover them
    series: [...series.toReversed(), ...machineLine(points)],
    isStacked: true,
    marks: study.host
      ? [{ along: 'y', at: study.host.cpus, label: `${formatCount(study.host.cpus)} cores` }]
      : [],
  };
}

/** What all of the machine used: between it and the layers is what nobody named. @param {Point[]} points */
function machineLine(points) {
  const known = points.flatMap(({ step, hostCores }) =>
    hostCores === null ? [] : [{ x: step, y: hostCores }],
  );
  if (known.length === 0) return [];
  return [
    {
      name: 'whole machine',
      color: '--ink',
      dash: [2, 2],
      width: 1.5,
      isLine: true,
      points: known,
    },
  ];
}

/** @param {Point} point @param {StudyReport} report */
function describeLayers(point, report) {
  return layersOf(point)
    .map(({ name, cores }) => `${labelComponent(name, report)} ${formatCores(cores)}`)
    .join(', ');
}

/** @param {{variant: VariantReport, index: number}[]} measured @param {StudyReport} report */
function renderProcesses(measured, report) {
  const rows = measured.flatMap(({ variant, index }) => {
    const point = findPlateau(variant);
    return (point?.components ?? []).map(component => ({
      cells: [
        [variantKey(index), variant.label],
        labelComponent(component.name, report),
        formatCount(component.processes),
        formatCores(component.cores),
        formatCores(component.busiestCores),
        component.pssBytes === null
          ? [formatBytes(component.rssBytes), h('span', { class: 'muted' }, ' resident')]
          : formatBytes(component.pssBytes),
        component.processes > 0
          ? formatBytes((component.pssBytes ?? component.rssBytes) / component.processes)
          : '–',
      ],
    }));
  });
  return h(
    'details',
    { open: rows.length <= 12 },
    h('summary', {}, 'Processes and memory at the plateau'),
    table(
      'Processes, cores and memory at the plateau; shared memory is divided (PSS) where it can be read',
      [
        { label: 'Variant' },
        { label: 'Component' },
        { label: 'Processes', number: true },
        { label: 'Cores', number: true },
        { label: 'Busiest process', number: true, about: 'cores' },
        { label: 'Memory', number: true },
        { label: 'Per process', number: true },
      ],
      rows,
    ),
  );
}
