/** A report's page while its run goes on: takes what loadflame sends, and says how old it is. */
import { formatClock, formatDuration } from '../../format.js';
import { h, makeButton, markReady } from './dom.js';
import { mountReport } from './report-page.js';
import { windowsBetween } from './state.js';

/** @import { LoadMessage, ReportMessage } from './live-messages.d.ts' */
/** @import { WordedReport } from '../../text/worded-report.d.ts' */
/** @import { Model } from './compute/compute.js' */
/** @import { PageState } from './state.js' */

/** So much of the end of a run a button selects. */
const LAST_MS = 30_000;

/** @type {ReportMessage | null} the newest analysis of everything */
let whole = null;
/** @type {LoadMessage | null} what is newer than that */
let load = null;
/** @type {ReturnType<typeof mountReport> | null} */
let page = null;
let [isNew, isBusy, isDragging] = [false, false, false];
/** What the page shows of them. @type {{whole: ReportMessage, load: LoadMessage | null} | null} */
let drawn = null;
/** Why nothing more comes. */
let lost = '';
/** @type {PageState['windows'] | undefined} the end of the run, while it is followed */
let followed;

const WAITING = 'Waiting for the run …';
const state = h('strong', { role: 'status' }, WAITING);
const ages = h('span', { class: 'ages' });
const last = makeButton(`Last ${formatDuration(LAST_MS)}`, () => {
  const isOn = followed === undefined;
  followed = undefined;
  if (isOn) void show(true);
  else page?.store.set({ windows: null });
});
const bar = h('footer', { class: 'live' }, state, ages, last);
document.body.append(bar);

/** The last windows of which all is known, the samples too. @param {Model} model */
function findLast({ report, edgesMs }) {
  const endMs = report.profile?.table?.edgesMs?.at(-1) ?? edgesMs?.at(-1) ?? 0;
  followed = windowsBetween(edgesMs ?? [], endMs - LAST_MS, endMs);
  return followed;
}

/**
 * The newest load in the last analysis of all, where it is newer and its windows are the same ones.
 * @param {ReportMessage} of @param {LoadMessage | null} newer
 * @returns {WordedReport}
 */
function joinLoad({ report, atMs, ended }, newer) {
  const { timeline = null, load: own } = newer ?? {};
  const edgesMs = report.profile?.table?.edgesMs ?? report.timeline?.edgesMs ?? [];
  const isSame = edgesMs.slice(0, -1).every((edge, at) => edge === timeline?.edgesMs[at]);
  if (ended || !newer || newer.atMs < atMs || !isSame) return report;
  return { ...report, timeline, load: report.load && { ...report.load, ...own } };
}

/** Shows the newest that has come, when the page has shown what came before. @param {boolean} [isFollowing] */
async function show(isFollowing = followed !== undefined) {
  if (!whole || isBusy || isDragging || !(isNew || isFollowing)) return;
  [isNew, isBusy] = [false, true];
  const taken = { whole, load };
  const { content, ended } = whole;
  const shown = { report: joinLoad(whole, load), content, isProvisional: ended === null };
  if (page) await page.update(shown, isFollowing ? findLast : undefined);
  else {
    page = mountReport(shown);
    page.store.subscribe(({ windows }) => {
      if (JSON.stringify(windows) !== JSON.stringify(followed)) followed = undefined;
      tell();
    });
    await page.ready;
    await markReady();
  }
  drawn = taken;
  isBusy = false;
  tell();
  if (isNew) void show();
}

/** How old it is what stands there. */
function tell() {
  last.setAttribute('aria-pressed', String(followed !== undefined));
  last.hidden = !drawn;
  const { ended = null, atMs = 0, report } = drawn?.whole ?? {};
  const newestMs = Math.max(atMs, drawn?.load?.atMs ?? 0);
  bar.dataset.state = ended ? 'ended' : lost ? 'lost' : 'running';
  const waits = drawn ? `Running for ${age(report?.run.startedAtMs ?? atMs, newestMs)}` : WAITING;
  const end = ended?.file
    ? `The run has ended. Its report: ${ended.file}`
    : `The run has ended without a report. Write it: loadflame report ${ended?.folder}`;
  const text = ended ? end : lost || waits;
  if (state.textContent !== text) state.textContent = text;
  const isAged = drawn !== null && !ended;
  ages.textContent = isAged
    ? `Load and timeline as of ${moment(newestMs)}. Findings, bottleneck and flamegraph as of ${moment(atMs)}; they may still change.`
    : '';
}

/** @param {number} fromMs @param {number} toMs */
function age(fromMs, toMs) {
  return formatDuration(Math.max(0, Math.round((toMs - fromMs) / 1000)) * 1000);
}

/** @param {number} ms */
function moment(ms) {
  return `${formatClock(ms)} UTC (${age(ms, Date.now())} ago)`;
}

const events = new EventSource('events');
events.addEventListener('report', ({ data }) => {
  whole = JSON.parse(data);
  isNew = true;
  if (whole?.ended) events.close();
  void show();
});
events.addEventListener('load', ({ data }) => {
  load = JSON.parse(data);
  isNew = true;
  void show();
});
/** @param {string} why */
const lose = why => {
  lost ||= `${why} since ${formatClock(Date.now())} UTC; this is the last state.`;
  tell();
};
events.addEventListener('leave', () => {
  events.close();
  lose('No longer watched');
});
events.addEventListener('error', () => lose('No connection to loadflame'));
events.addEventListener('open', () => {
  lost = '';
});
// windows that a reader is dragging over stay as they are
document.addEventListener('pointerdown', ({ target }) => {
  isDragging = target instanceof Element && target.closest('.brush') !== null;
});
for (const name of /** @type {const} */ (['pointerup', 'pointercancel']))
  document.addEventListener(name, () => {
    isDragging = false;
    void show();
  });
setInterval(tell, 1000);
