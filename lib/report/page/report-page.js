/** The page of a run: its parts, how a selection changes them, and how a newer report replaces the one shown. */
import { selectSamples } from '../../analysis/sample-table/select.js';
import { unpackLatency } from '../../analysis/sample-table/sketches.js';
import { unpackCalls, unpackSampleTable } from '../../analysis/sample-table/unpack.js';
import { printSection } from '../print/html.js';
import { makeCalls } from './calls.js';
import { compute, makeModel } from './compute/compute.js';
import { makeCpu } from './cpu.js';
import { emptyState, h, mountPage, renderShares, renew, renewChildren, section } from './dom.js';
import { makeEndpoints } from './endpoints.js';
import { makeFilters } from './filters.js';
import { Flamegraph } from './flame/flamegraph.js';
import { makeSpeedscopeOpener } from './flame/speedscope.js';
import { makeSlowest } from './slowest.js';
import { createStore, isNarrowed, readFragment, windowsBetween, writeFragment } from './state.js';
import { asProvisional, orderSections, renderHeader, renderRunSummary } from './summary.js';
import { makeTimeline } from './timeline/timeline.js';

/** @import { WordedReport as Report } from '../../text/worded-report.d.ts' */
/** @import { Section } from '../../text/document/document.d.ts' */
/** @import { Samples } from '../../run/facts/sample-table.d.ts' */
/** @import { Computed, Model } from './compute/compute.js' */
/** @import { PageState, Store } from './state.js' */

/**
 * What the page shows.
 * @typedef {object} Shown
 * @property {Report} report
 * @property {Section[]} content what is only printed
 * @property {boolean} [isProvisional] the run has not ended
 */

/** @typedef {Pick<Model, 'samples' | 'waiting' | 'latency' | 'calls'>} Unpacked */

/** The time to select in a newer report; undefined: what is selected. @typedef {(model: Model) => PageState['windows'] | undefined} Follow */

const NOT_UNPACKED =
  'This browser could not unpack the samples. A current Firefox, Chrome or Safari can; the same profile is in the files listed under Run.';
/** Browsers refuse more than about three address changes per second. */
const ADDRESS_MS = 350;

/**
 * Shows a report, at first without the parts that are still packed.
 * @param {Shown} first
 * @returns {{store: Store, ready: Promise<void>, update: (next: Shown, follow?: Follow) => Promise<void>}}
 *   `ready`: everything is unpacked and drawn; `update`: shows a newer report of the same run and keeps what the reader
 *   selected and opened. Wait for one update to end before the next
 */
export function mountReport(first) {
  const model = makeModel(first.report);
  const store = createStore(readFragment(location.hash.slice(1), model.edgesMs));
  const slowest = makeSlowest(model);
  const timeline = makeTimeline(model, store, slowest);
  const flame = makeFlamePlace(model, store);
  const cpu = makeCpu(model, text => {
    store.set({ flame: 'cpu' });
    flame.find(text);
  });
  const tables = [
    makeFilters(model, store),
    makeEndpoints(model, store, slowest),
    makeCalls(model),
  ];
  const explored = [...tables, cpu, flame];
  const draw = () => {
    const before = performance.now();
    const computed = compute(model, store.get());
    for (const view of [timeline, ...explored]) view.show(computed);
    timeline.speed.computeMs = performance.now() - before;
  };

  document.title = `${first.report.run.id} – loadflame`;
  // draw first: the bar lists only the sections that exist
  draw();
  const summary = renderRunSummary(first);
  const printed = h('div', {}, printAll(first));
  let top = h('header', {});
  const places = explored.map(({ element }) => element);
  const explore = h('div', { class: 'explore' }, places);
  const parts = [summary, timeline.element, explore, printed, slowest.element];
  const main = mountPage(parts, ids => {
    top = renderHeader(first.report, ids);
    return top;
  });
  store.subscribe(draw);
  keepAddress(model, store);

  const ready = unpackAll(first.report, model.windowCount, null).then(unpacked => {
    Object.assign(model, unpacked);
    draw();
    if (!model.samples) flame.fail();
  });
  /** @param {Shown} next @param {Follow} [follow] */
  const update = async (next, follow) => {
    const { report } = next;
    const newer = makeModel(report);
    const unpacked = await unpackAll(report, newer.windowCount, model);
    const { windows } = store.get();
    const edges = [windows?.from ?? 0, windows?.to ?? 0];
    const [startMs = 0, endMs = 0] = edges.map(at => model.edgesMs?.[at]);
    Object.assign(model, newer, unpacked);
    // keep the selected time, not its indexes: the new windows may have another length
    const kept = windows && windowsBetween(model.edgesMs ?? [], startMs, endMs);
    const wanted = follow?.(model);
    if (!store.set({ windows: wanted === undefined ? kept : wanted })) draw();
    renewChildren(summary, [...renderRunSummary(next).children]);
    renewChildren(printed, printAll(next));
    const ids = [...main.querySelectorAll('section')].map(({ id }) => id);
    top = renew(top, renderHeader(report, ids));
  };
  return { store, ready, update };
}

/** The sections that no selection changes. @param {Shown} shown */
function printAll({ content, isProvisional }) {
  return orderSections(content).map(own =>
    printSection(isProvisional && own.id === 'bottleneck' ? asProvisional(own) : own, {
      shares: renderShares,
    }),
  );
}

/** The flamegraph, tied to the selection. Its samples are unpacked after everything else is drawn. @param {Model} model @param {Store} store */
function makeFlamePlace(model, store) {
  const element = h('div', { class: 'flame-place' });
  /** @type {Flamegraph | null} */
  let flamegraph = null;
  /** @type {Samples | null} */
  let drawn = null;
  const idsOf = (/** @type {Samples | null} */ of, /** @type {number[] | null} */ picked) =>
    picked?.flatMap(index => of?.table.categories[index]?.id ?? []) ?? null;
  /** @param {import('./flame/flamegraph.js').FlameData} data */
  const make = data => {
    const made = new Flamegraph({
      ...data,
      onSearch: search => store.set({ search }),
      onCategories: picked => store.set({ categories: idsOf(model.samples, picked) }),
      onKinds: picked => store.set({ kinds: idsOf(model.waiting, picked) }),
      onFlame: flame => store.set({ flame }),
      openSpeedscope: makeSpeedscopeOpener(() => model.samples, {
        name: model.report.run.id,
        rateHz: model.report.profile?.rateHz ?? null,
      }),
    });
    element.replaceChildren(made.element);
    return made;
  };
  return {
    element,
    /** @param {string} text */
    find: text => flamegraph?.find(text),
    /** @param {Computed} computed */
    show({ counts, waiting, estimateCost }) {
      const { samples, report } = model;
      if (!samples || !counts) {
        const isThere = (report.profile?.table?.totalSamples ?? 0) > 0;
        if (isThere && !flamegraph) element.replaceChildren(section('flamegraph', 'Flamegraph'));
        return;
      }
      if (samples !== drawn) {
        const data = { samples, whole: selectSamples(samples), waiting: model.waiting };
        if (flamegraph) flamegraph.take(data);
        else flamegraph = make(data);
      }
      drawn = samples;
      if (waiting) flamegraph?.showWaiting(waiting);
      else flamegraph?.show(counts, estimateCost(counts.total)?.value ?? null);
    },
    /** Says that the samples could not be read. */
    fail() {
      element.firstElementChild?.append(emptyState(NOT_UNPACKED));
    },
  };
}

/**
 * Unpacks the data that selections are counted from. A browser that can't unpack it shows the whole run.
 * @param {Report} report
 * @param {number} windowCount
 * @param {Model | null} known from an earlier report: unchanged data is not unpacked again
 * @returns {Promise<Unpacked>}
 */
async function unpackAll({ profile, timeline, load, calls }, windowCount, known) {
  const packed = [profile?.table, profile?.waits?.table];
  const series = timeline?.load;
  try {
    const [samples = null, waiting = null] =
      known && profile === known.report.profile
        ? [known.samples, known.waiting]
        : await Promise.all(packed.map(one => (one?.totalSamples ? unpackSampleTable(one) : null)));
    const latency =
      load && series?.latency
        ? await unpackLatency(series.latency, series.endpoints.length, windowCount)
        : null;
    return { samples, waiting, latency, calls: calls ? await unpackCalls(calls.table) : null };
  } catch (error) {
    console.warn(`selections are not possible here: ${error}`);
    return { samples: null, waiting: null, latency: null, calls: null };
  }
}

/** Opens the folds around what a link leads to, and what it folds itself. @param {string} id */
function openTarget(id) {
  const place = document.getElementById(id);
  for (const own of document.querySelectorAll('details'))
    if (own.contains(place) || (own.parentElement === place && own.matches('.part')))
      own.open = true;
  return place;
}

/** Keeps the selection in the page's address, and restores it from there. @param {Model} model @param {Store} store */
function keepAddress(model, store) {
  let timer = 0;
  const write = () => {
    const fragment = writeFragment(store.get(), model.edgesMs);
    history.replaceState(null, '', fragment ? `#${fragment}` : location.href.split('#')[0]);
  };
  store.subscribe(() => {
    clearTimeout(timer);
    timer = setTimeout(write, ADDRESS_MS);
  });
  window.addEventListener('hashchange', () => {
    const fragment = location.hash.slice(1);
    if (fragment.includes('=')) store.set(readFragment(fragment, model.edgesMs));
    else openTarget(fragment);
  });
  openTarget(location.hash.slice(1));
  // a link to a section must not take the selection out of the address
  document.addEventListener('click', event => {
    const link = event.target instanceof Element ? event.target.closest('a[href^="#"]') : null;
    const place = openTarget(link?.getAttribute('href')?.slice(1) ?? '');
    if (!place || !isNarrowed(store.get())) return;
    event.preventDefault();
    place.scrollIntoView();
  });
}
