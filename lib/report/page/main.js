import { selectSamples } from '../../sample-table/select.js';
import { unpackLatency } from '../../sample-table/sketches.js';
import { unpackSampleTable } from '../../sample-table/unpack.js';
import { renderBalance } from './balance.js';
import { compute } from './compute/compute.js';
import { makeModel } from './compute/model.js';
import { makeCpu } from './cpu.js';
import { h } from './dom.js';
import { makeEndpoints } from './endpoints.js';
import { renderErrors } from './errors.js';
import { makeFilters } from './filters.js';
import { makeFlamePlace } from './flame-place.js';
import { renderHeader } from './header.js';
import { renderLimit } from './limit.js';
import { renderLoad } from './load.js';
import { renderQuality, renderRun } from './quality.js';
import { readFragment, windowsBetween, writeFragment } from './state/fragment.js';
import { createStore, isNarrowed } from './state/store.js';
import { renderSummary } from './summary.js';
import { makeTimeline } from './timeline/timeline.js';

/** @import { Report } from '../../analysis/report.d.ts' */

/** @type {Report} */
const report = JSON.parse(document.getElementById('report')?.textContent ?? '');
const model = makeModel(report);
const store = createStore(readFragment(location.hash.slice(1), model.edgesMs));
const speed = { computeMs: 0 };
// everything first: it is in the Report, and needs nothing unpacked
const whole = compute(model, createStore({}).get());
const timeline = makeTimeline(model, whole, store, speed);
const filters = makeFilters(model, store);
const endpoints = makeEndpoints(model, store);
const flame = makeFlamePlace(model, store);
const cpu = makeCpu(report, store, flame.find);
const selective = [timeline, filters, endpoints, cpu, flame].filter(view => view !== null);

/** @param {number} startMs @param {number} endMs */
const selectTime = (startMs, endMs) => {
  store.set({ windows: windowsBetween(model.edgesMs ?? [], startMs, endMs) });
  timeline?.element.scrollIntoView();
};
const update = () => {
  const before = performance.now();
  const computed = compute(model, store.get());
  for (const view of selective) view.show(computed);
  speed.computeMs = performance.now() - before;
};

document.title = `${report.run.id} – loadflame`;
const explored = [endpoints?.element, cpu.element, flame.element].filter(Boolean);
const sections = [
  renderSummary(report),
  timeline?.element,
  h('div', { class: 'explore' }, filters.element, explored),
  renderLimit(report),
  renderBalance(report),
  renderErrors(report, timeline && selectTime),
  renderLoad(report),
  renderQuality(report),
  renderRun(report),
].filter(Boolean);
const main = h('main', {}, sections);
const ids = [...main.querySelectorAll('section')].map(({ id }) => id);
document.body.prepend(renderHeader(report, ids), main);
update();

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
window.addEventListener('beforeprint', () => {
  for (const details of document.querySelectorAll('details')) details.open = true;
});

const { samples, latency } = await unpackAll();
model.samples = samples;
model.latency = latency;
if (samples) flame.fill(samples, selectSamples(samples));
update();
if (!samples) flame.explain();
// two frames on, everything has been laid out once
await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
document.documentElement.dataset.ready = 'true';
// the sections did not exist yet when the browser looked for the address's fragment
if (location.hash && !location.hash.includes('='))
  document.getElementById(location.hash.slice(1))?.scrollIntoView();

/** What selections are counted from; a browser that can't unpack it shows the whole run. */
async function unpackAll() {
  const { timeline: times, load, profile } = report;
  const nothing = { samples: null, latency: null };
  try {
    return {
      samples:
        profile && profile.table.totalSamples > 0 ? await unpackSampleTable(profile.table) : null,
      latency:
        times?.load?.latency && load
          ? await unpackLatency(times.load.latency, times.load.endpoints.length, model.windowCount)
          : null,
    };
  } catch (error) {
    console.warn(`selections are not possible here: ${error}`);
    return nothing;
  }
}
