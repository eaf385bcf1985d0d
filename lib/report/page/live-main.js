/** A report's page during the run: shows what loadflame sends, and how old it is. */
import { formatClock, formatDuration } from '../../base/format.js';
import { h, makeButton, markReady } from './dom.js';
import { mountReport } from './report-page.js';
import { windowsBetween } from './state.js';

/** @import { ControlMessage, LoadMessage, ReportMessage } from './live-messages.d.ts' */
/** @import { WordedReport } from '../../text/worded-report.d.ts' */
/** @import { Model } from './compute/compute.js' */
/** @import { PageState } from './state.js' */

/** The "Last …" button selects this much of the end of a run. */
const LAST_MS = 30_000;

/** @type {ReportMessage | null} the newest analysis of everything */
let whole = null;
/** @type {LoadMessage | null} what is newer than that */
let load = null;
/** @type {ReturnType<typeof mountReport> | null} */
let page = null;
let [isNew, isBusy, isDragging, isFollowing] = [false, false, false, false];
/** What the page shows, and the time of its load. @type {{whole: ReportMessage, loadMs: number} | null} */
let drawn = null;
/** Why no more updates arrive. */
let lost = '';
/** @type {PageState['windows']} the end of the run, while the page follows it */
let end = null;

const state = h('strong', { role: 'status' }, 'Waiting for the run …');
const ages = h('span', { class: 'ages' });
const last = makeButton(`Last ${formatDuration(LAST_MS)}`, () => {
  isFollowing = !isFollowing;
  isNew = true;
  if (!isFollowing) page?.store.set({ windows: null });
  void show();
});
/** Changes the running phase. @type {ControlMessage | null} */
let control = null;
const level = h('input', { type: 'number', min: 0, required: true });
const label = h('span', {});
const sent = h('output', {});
const parts = [h('label', {}, label, ' ', level), h('button', {}, 'Set')];
const form = h('form', { class: 'steer' }, parts, sent);
form.addEventListener('submit', async event => {
  event.preventDefault();
  const body = JSON.stringify({ ...control, to: level.valueAsNumber });
  const response = await fetch('control', { method: 'POST', body }).catch(() => null);
  sent.value = response?.ok ? (control?.text ?? '') : 'Refused: by now the phase is another one.';
});
const bar = h('footer', { class: 'live' }, state, ages, last, form);
document.body.append(bar);

/** The last windows that are complete, with their samples. @param {Model} model */
function findLast({ report, edgesMs }) {
  const endMs = report.profile?.table?.edgesMs?.at(-1) ?? edgesMs?.at(-1) ?? 0;
  end = windowsBetween(edgesMs ?? [], endMs - LAST_MS, endMs);
  return end;
}

/**
 * Puts a newer load into the last full analysis, if both have the same windows.
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

/** Shows the newest message after the page has drawn the one before. */
async function show() {
  if (!whole || isBusy || isDragging || !isNew) return;
  [isNew, isBusy] = [false, true];
  const { report: analysed, content, ended, atMs } = whole;
  const report = joinLoad(whole, load);
  const taken = { whole, loadMs: report === analysed ? atMs : (load?.atMs ?? atMs) };
  const shown = { report, content, isProvisional: ended === null };
  // the reader may end that while it is unpacked
  if (page) await page.update(shown, model => (isFollowing ? findLast(model) : undefined));
  else {
    page = mountReport(shown);
    page.store.subscribe(({ windows }) => {
      isFollowing &&= JSON.stringify(windows) === JSON.stringify(end);
      tell();
    });
    await page.ready;
    await markReady();
  }
  drawn = taken;
  isBusy = false;
  tell();
  void show();
}

/** Shows the state of the run and the age of the data. */
function tell() {
  last.setAttribute('aria-pressed', String(isFollowing));
  last.hidden = !drawn;
  form.hidden = lost !== '' || Boolean(whole?.ended);
  if (!drawn) return;
  const { whole: of, loadMs } = drawn;
  const { ended, atMs, report } = of;
  bar.dataset.state = ended ? 'ended' : lost ? 'lost' : 'running';
  const running = lost || `Running for ${age(report.run.startedAtMs ?? atMs, loadMs)}`;
  const text = ended ? describeEnd(ended) : running;
  if (state.textContent !== text) state.textContent = text;
  ages.textContent = ended
    ? ''
    : `Load and timeline: ${moment(loadMs)}. Findings, bottleneck and flamegraph, provisional: ${moment(atMs)}`;
}

/** @param {NonNullable<ReportMessage['ended']>} ended */
function describeEnd({ file, folder }) {
  if (file) return `The run has ended. Its report: ${file}`;
  return `The run has ended without a report. Write it: loadflame report ${folder}`;
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
events.addEventListener('control', ({ data }) => {
  const message = /** @type {ControlMessage} */ (JSON.parse(data));
  control = message;
  sent.value = message.text;
  for (const part of parts) part.hidden = 'why' in message;
  if ('why' in message) return;
  label.textContent = message.label;
  level.max = String(message.most);
  level.step = message.of === 'users' ? '1' : 'any';
  if (!form.contains(document.activeElement)) level.value = String(message.now);
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
