import { selectSamples } from '../../sample-table/select.js';
import { unpackLatency } from '../../sample-table/sketches.js';
import { unpackCalls, unpackSampleTable } from '../../sample-table/unpack.js';
import { printSection } from '../print/html.js';
import { makeCalls } from './calls.js';
import { compute, makeModel } from './compute/compute.js';
import { makeCpu } from './cpu.js';
import {
  emptyState,
  h,
  makeButton,
  markReady,
  mountPage,
  readData,
  renderShares,
  section,
} from './dom.js';
import { makeEndpoints } from './endpoints.js';
import { makeFilters } from './filters.js';
import { makeFlamegraph } from './flame/flamegraph.js';
import { makeSpeedscopeOpener } from './flame/speedscope.js';
import { createStore, isNarrowed, readFragment, windowsBetween, writeFragment } from './state.js';
import { orderSections, renderHeader, renderSummary } from './summary.js';
import { makeTimeline } from './timeline/timeline.js';

/** @import { WordedReport as Report } from '../../text/worded-report.d.ts' */
/** @import { Section } from '../../text/document/document.d.ts' */
/** @import { Samples } from '../../facts/sample-table.d.ts' */
/** @import { Computed } from './compute/compute.js' */

/** @type {Report} */
const report = readData('report');
/** @type {Section[]} what the page only prints */
const content = readData('content');
const model = makeModel(report);
const store = createStore(readFragment(location.hash.slice(1), model.edgesMs));
const speed = { computeMs: 0 };
// everything first: it is in the Report, and needs nothing unpacked
const timeline = makeTimeline(model, compute(model, createStore({}).get()), store, speed);
const filters = makeFilters(model, store);
const endpoints = makeEndpoints(model, store);
const calls = makeCalls(model);
/** @type {ReturnType<typeof makeFlamegraph> | null} until its samples are unpacked */
let flamegraph = null;
const packedSamples = report.profile?.table;
// it keeps its place until then
const flamePlace =
  packedSamples && packedSamples.totalSamples > 0
    ? h('div', { class: 'flame-place' }, section('flamegraph', 'Flamegraph'))
    : null;
const cpu = makeCpu(report, store, text => {
  store.set({ flame: 'cpu' });
  flamegraph?.find(text);
});
/** @param {Computed} computed */
const showFlame = ({ counts, waiting, estimateCost }) => {
  if (!flamegraph || !counts) return;
  if (waiting) flamegraph.showWaiting(waiting);
  else flamegraph.show(counts, estimateCost(counts.total)?.value ?? null);
};
/** @param {number} startMs @param {number} endMs */
const selectTime = (startMs, endMs) => {
  store.set({ windows: windowsBetween(model.edgesMs ?? [], startMs, endMs) });
  timeline?.element.scrollIntoView();
};
const drawings = {
  shares: renderShares,
  'select-time': (/** @type {{startMs: number, endMs: number}} */ { startMs, endMs }) =>
    timeline &&
    makeButton('Select this time', () => selectTime(startMs, endMs), { class: 'quiet' }),
};
const update = () => {
  const before = performance.now();
  const computed = compute(model, store.get());
  for (const view of [timeline, filters, endpoints, calls, cpu]) view?.show(computed);
  showFlame(computed);
  speed.computeMs = performance.now() - before;
};

document.title = `${report.run.id} – loadflame`;
// before the bar lists the sections that are there
update();
mountPage(
  [
    renderSummary(report, content),
    timeline?.element,
    h(
      'div',
      { class: 'explore' },
      filters.element,
      endpoints?.element,
      calls?.element,
      cpu?.element,
      flamePlace,
    ),
    ...orderSections(content).map(own => printSection(own, drawings)),
  ],
  ids => renderHeader(report, ids),
);

/** Browsers refuse to change an address more often than about three times a second. */
const ADDRESS_MS = 350;
let addressTimer = 0;
const writeAddress = () => {
  const fragment = writeFragment(store.get(), model.edgesMs);
  history.replaceState(null, '', fragment ? `#${fragment}` : location.href.split('#')[0]);
};
store.subscribe(() => {
  update();
  clearTimeout(addressTimer);
  addressTimer = setTimeout(writeAddress, ADDRESS_MS);
});
window.addEventListener('hashchange', () => {
  const fragment = location.hash.slice(1);
  if (fragment.includes('=')) store.set(readFragment(fragment, model.edgesMs));
});
// a link to a section must not take the selection out of the address
document.addEventListener('click', event => {
  const link = event.target instanceof Element ? event.target.closest('a[href^="#"]') : null;
  const id = link?.getAttribute('href')?.slice(1) ?? '';
  const place = id && document.getElementById(id);
  if (!place || !isNarrowed(store.get())) return;
  event.preventDefault();
  place.scrollIntoView();
});

const unpacked = await unpackAll();
Object.assign(model, unpacked);
const { samples, waiting } = unpacked;
if (samples) {
  flamegraph = makeReportFlame(samples, waiting);
  flamePlace?.replaceChildren(flamegraph.element);
}
update();
if (!samples)
  flamePlace?.firstElementChild?.append(
    emptyState(
      'This browser could not unpack the samples.',
      'A current Firefox, Chrome or Safari can; the same profile is in the files listed under Run.',
    ),
  );
await markReady();
// the sections did not exist yet when the browser looked for the address's fragment
if (location.hash && !location.hash.includes('='))
  document.getElementById(location.hash.slice(1))?.scrollIntoView();

/** The flamegraph, tied to the selection. @param {Samples} unpacked @param {Samples | null} waits */
function makeReportFlame(unpacked, waits) {
  const idsOf = (/** @type {Samples | null} */ of, /** @type {number[] | null} */ picked) =>
    picked?.flatMap(index => of?.table.categories[index]?.id ?? []) ?? null;
  return makeFlamegraph({
    samples: unpacked,
    whole: selectSamples(unpacked),
    waiting: waits,
    onSearch: search => store.set({ search }),
    onCategories: picked => store.set({ categories: idsOf(unpacked, picked) }),
    onKinds: picked => store.set({ kinds: idsOf(waits, picked) }),
    onFlame: flame => store.set({ flame }),
    openSpeedscope: makeSpeedscopeOpener(unpacked, {
      name: report.run.id,
      rateHz: report.profile?.rateHz ?? null,
    }),
  });
}

/** What selections are counted from; a browser that can't unpack it shows the whole run. */
async function unpackAll() {
  const packed = report.timeline?.load;
  const packedWaits = report.profile?.waits?.table;
  try {
    return {
      samples: flamePlace && packedSamples ? await unpackSampleTable(packedSamples) : null,
      waiting: packedWaits?.totalSamples ? await unpackSampleTable(packedWaits) : null,
      latency:
        packed?.latency && report.load
          ? await unpackLatency(packed.latency, packed.endpoints.length, model.windowCount)
          : null,
      calls: report.calls ? await unpackCalls(report.calls.table) : null,
    };
  } catch (error) {
    console.warn(`selections are not possible here: ${error}`);
    return { samples: null, waiting: null, latency: null, calls: null };
  }
}
