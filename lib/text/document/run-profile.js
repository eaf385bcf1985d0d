/** Where the CPU time of a run goes, as parts of a document. */
import {
  formatCount,
  formatEstimateMs,
  formatMs,
  formatPlace,
  formatShare,
  roundShares,
} from '../../format.js';
import { WITHOUT_VIEWS } from '../endpoint-costs.js';
import { describeStartUp } from '../hot-path.js';
import {
  amount,
  column,
  drawing,
  item,
  lede,
  list,
  only,
  pairs,
  paragraph,
  section,
  table,
} from './build.js';
import { splitPaths } from './split-paths.js';

/** @import { CategoryShare, CpuUse } from '../../facts/profile-report.d.ts' */
/** @import { WordedCause, WordedPath, WordedProfile, WordedReport, WordedTaskWorkers } from '../worded-report.d.ts' */

const TITLE = 'Where the CPU time of a request goes';
const MOST_ENDPOINTS = 12;
const MOST_ENDPOINTS_SHORT = 5;
const MOST_PATHS_SHORT = 5;
const LARGE_PATHS = 3;
const MOST_CATEGORIES = 6;

/** Requests, times and CPU of each endpoint; the page draws its own for a selection. @param {WordedReport} report */
export function describeEndpoints({ load, costs, profile }) {
  const loads = load?.endpoints ?? [];
  const priced = costs?.endpoints ?? [];
  const isMixed = new Set(priced.map(({ isMeasured }) => isMeasured)).size > 1;
  const isPriced = priced.some(({ cpuMsPerRequest }) => cpuMsPerRequest);
  const names = priced.flatMap(({ loadEndpoint }) => loadEndpoint ?? []);
  const rows = [
    ...priced.map(cost => ({
      cost,
      of: loads.find(({ name }) => name === cost.loadEndpoint) ?? null,
      name: cost.name,
    })),
    ...loads
      .filter(({ name }) => !names.includes(name))
      .map(of => ({ cost: null, of, name: of.name })),
  ];
  const view = costs?.basis === 'source' || costs?.basis === 'view' ? 'CPU in the view' : 'CPU';
  const hasLoad = loads.length > 0;
  /** @param {number} most @param {boolean} isShort */
  const endpointTable = (most, isShort) =>
    table(
      'Endpoints',
      rows,
      [
        column('', ({ name }) => name),
        hasLoad && amount('requests', ({ of }) => of?.requests ?? null, 'count'),
        hasLoad &&
          amount('p95', ({ of }) => (of?.totalTime ?? of?.timeToFirstByte)?.p95Ms ?? null, 'ms'),
        hasLoad && amount('failed', ({ of }) => of?.errors ?? null, 'count'),
        isPriced && amount(view, ({ cost }) => cost?.cpuMsPerRequest, 'ms'),
        costs &&
          !isShort &&
          amount(
            costs.unattributed ? 'of all CPU' : 'of this CPU',
            ({ cost }) => cost?.shareOfCpu.value ?? null,
            'share',
          ),
        isMixed &&
          !isShort &&
          column('by', ({ cost }) => (cost ? (cost.isMeasured ? 'measured' : 'samples') : '')),
      ],
      { most },
    );
  return only(
    ['short', 'summary', 'full'],
    section(
      'endpoints',
      costs && !isPriced && !hasLoad ? 'CPU by view' : 'Endpoints',
      only(['full'], lede(costs?.text ?? (loads.length > 0 && profile ? WITHOUT_VIEWS : ''))),
      only(['short', 'summary'], endpointTable(MOST_ENDPOINTS_SHORT, true)),
      only(['full'], endpointTable(MOST_ENDPOINTS, false)),
    ),
  );
}

/** The page draws its own for a selection. @param {WordedReport} report */
export function describeCpu({ profile, cpu, run }) {
  if (!profile) return only(['short', 'full'], describeMissing(run, cpu));
  const { active, waiting, recorded } = profile.samples;
  if (active === 0) {
    const text =
      recorded === 0
        ? 'The profiler recorded no sample. Type: loadflame doctor'
        : `None of ${formatCount(recorded)} samples shows a worker at work; ${formatCount(waiting)} were waiting. Let more load run for longer.`;
    return only(['short', 'full'], section('hot-paths', TITLE, paragraph(text)));
  }
  const shown = new Set(profile.hotPaths.flatMap(({ causes }) => causes));
  const others = profile.causes.filter(({ id }) => !shown.has(id));
  return only(
    ['short', 'summary', 'full'],
    section(
      'hot-paths',
      TITLE,
      only(['full'], lede(describeBase(profile, cpu))),
      only(['short'], shortPaths(profile.hotPaths)),
      only(['full'], pathList(profile)),
      only(['full'], list(others.map(causeItem))),
      only(['full'], categoryTable(profile.categories)),
      only(['summary'], categoryTable(profile.categories, MOST_CATEGORIES)),
    ),
  );
}

/** @param {WordedReport['run']} run @param {WordedReport['cpu']} cpu */
function describeMissing({ kind, command }, cpu) {
  if (cpu?.text) return section('hot-paths', 'CPU of the workers', paragraph(cpu.text));
  const isCluster = command?.startsWith('loadflame cluster ');
  const text =
    kind !== 'load'
      ? 'Nothing was recorded of it. To see why, type: loadflame doctor'
      : isCluster
        ? 'Not recorded: workers in a cluster sent the load.'
        : `Not recorded. To see where the time of a request goes, type: ${command} --profile`;
  return section('hot-paths', 'Profile', paragraph(text));
}

/** @param {WordedProfile} profile @param {CpuUse | null} cpu */
function describeBase({ samples, categories }, cpu) {
  const base = `${formatCount(samples.active)} active samples; ± is a 95 % interval`;
  if (!cpu?.perRequest) return base;
  if (cpu.basis === 'samples-upper-bound')
    return `${base}; a request costs at most ${formatMs(cpu.perRequest.value)} of CPU (from samples)`;
  return `${base}; a request costs ${formatMs(cpu.perRequest.value)} of CPU, counted by the operating system${describeStartUp(categories)}`;
}

/** @param {WordedPath[]} paths */
function shortPaths(paths) {
  return table('The largest paths', paths.slice(0, MOST_PATHS_SHORT), [
    column('', ({ label, entry }) => `${label} in ${entry.function} (${formatPlace(entry)})`),
    amount('share', ({ share }) => share, 'share'),
    paths.some(({ cpuMsPerRequest }) => cpuMsPerRequest) &&
      amount('per request', ({ cpuMsPerRequest }) => formatEstimateMs(cpuMsPerRequest)),
  ]);
}

/** Paths with something to say; a cause stands once, with all of its places. @param {Pick<WordedProfile, 'hotPaths' | 'causes'>} profile */
function pathList({ hotPaths, causes }) {
  const { large, small } = splitPaths(hotPaths, LARGE_PATHS);
  const left = new Map(causes.map(cause => [cause.id, cause]));
  const items = large.map(path => {
    const own = path.causes.flatMap(id => left.get(id) ?? []);
    for (const { id } of own) left.delete(id);
    const { function: name, file } = path.entry;
    // most sentences say it already
    const isNamed = path.text.includes(name) && path.text.includes(file);
    return item(
      path.text,
      { level: path.flagged ? 'bad' : 'info' },
      !isNamed && paragraph(`entered at ${name} (${formatPlace(path.entry)})`, 'lede'),
      list(own.map(causeItem)),
    );
  });
  return list([...items, ...small.map(({ text }) => text)], items.length);
}

/** @param {WordedCause} cause */
function causeItem({ title, share, cpuMsPerRequest, explanation, advice, text }) {
  const cost = cpuMsPerRequest ? `, ${formatEstimateMs(cpuMsPerRequest)} per request` : '';
  return item(
    `${title}: ${formatShare(share)}${cost}`,
    {},
    only(['page'], paragraph(explanation)),
    pairs(text.map(({ label, value }) => [value, label])),
    paragraph(advice, 'advice'),
  );
}

/** @param {CategoryShare[]} categories @param {number} [most] */
function categoryTable(categories, most) {
  const percents = roundShares(categories.map(({ share }) => share.value));
  const widest = Math.max(...categories.map(({ share }) => share.value));
  return table(
    'CPU by category',
    categories,
    [
      column('', ({ label, color }) => ({ text: label, color })),
      column('', ({ share, color }) => ({ bar: share.value / widest, color })),
      amount('share', ({ share }, index) => formatShare(share, percents[index])),
      categories.some(({ cpuMsPerRequest }) => cpuMsPerRequest) &&
        amount('per request', ({ cpuMsPerRequest }) => formatEstimateMs(cpuMsPerRequest)),
    ],
    most === undefined ? {} : { most },
  );
}

/** Task workers that were recorded beside the API. @param {WordedTaskWorkers | null | undefined} workers */
export function describeTaskWorkers(workers) {
  if (!workers) return null;
  const { text, categories } = workers;
  return only(
    ['summary', 'full', 'page'],
    section(
      'task-workers',
      text.title,
      ...text.sentences.map(sentence => paragraph(sentence)),
      categories.length > 0 && drawing('shares', categories),
      categoryTable(categories),
      only(['full', 'page'], pathList(workers)),
    ),
  );
}
