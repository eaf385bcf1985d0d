/** Parts of a document about the CPU time of a run. */

import {
  formatCount,
  formatDuration,
  formatEstimateMs,
  formatMs,
  formatNumberOf,
  formatPlace,
  formatShare,
  roundShares,
} from '../../base/format.js';
import { describeOutside } from '../hot-path.js';
import { describeCollections } from '../words.js';
import {
  amount,
  code,
  column,
  drawing,
  findSmall,
  folded,
  inFull,
  item,
  lede,
  list,
  muted,
  only,
  onPage,
  pairs,
  paragraph,
  part,
  section,
  table,
} from './build.js';

/** @import { CategoryShare, CpuUse, PackageShare } from '../../run/facts/profile-report.d.ts' */
/** @import { WordedCause, WordedPath, WordedProfile, WordedReport, WordedTaskWorkers } from '../worded-report.d.ts' */

/** @typedef {Omit<WordedPath, 'plural' | 'caller' | 'ofRequest' | 'reasons'>} ShownPath */
/** @typedef {Pick<WordedProfile, 'samples' | 'categories' | 'packages' | 'wrappers' | 'causes' | 'soughtText'> & {hotPaths: ShownPath[]}} SelectedProfile */
/** @typedef {{samples: number, cpuMs: number | null, requests: number | null}} Selected active samples, and the CPU of the workers */

/** Garbage collections: of each generation, and which requests paid. @param {WordedReport} report */
export function describeGarbage({ load }) {
  const collections = load?.collections;
  if (!collections) return null;
  const { generations, endpoints, outside, objects, python } = collections;
  const rows = endpoints.map(own => ({ ...own, perRequest: own.cpuMs / own.requests }));
  const other = { ...outside, name: 'outside of requests', perRequest: null, share: null };
  return inFull(
    section(
      'garbage',
      'Garbage collection',
      lede(
        `As the companion counted in the workers, on Python ${python}. ${objects === null ? 'No full collection took 10 ms, so live objects were not counted.' : `A full collection went through at least ${formatCount(objects)} live objects.`}`,
      ),
      pairs(generations.map((own, age) => [`generation ${age}`, describeCollections(own)])),
      table('Who paid', outside.count > 0 ? [...rows, other] : rows, [
        column('', ({ name }) => name),
        amount('collections', ({ count }) => count, 'count'),
        amount('CPU per request', ({ perRequest }) => perRequest, 'ms'),
        amount('share', ({ share }) => share, 'share', 'of the CPU of its requests'),
        amount('longest', ({ longestMs }) => longestMs, 'ms'),
      ]),
    ),
  );
}

const TITLE = 'Where the CPU time of a request goes';
const MOST_PATHS_SHORT = { alone: 5, withCalls: 2 };
const LARGE_PATHS = 3;

/**
 * @param {Pick<WordedReport, 'cpu' | 'run' | 'calls'> & {profile: SelectedProfile | null, findings?: {id: string, facts?: any}[]}} report
 * @param {Selected | null} [selected] on the page, if it is not the whole run
 */
export function describeCpu(report, selected = null) {
  const { profile, cpu, run, calls } = report;
  if (!profile?.samples.active) return describeMissing(run, cpu, profile);
  const { categories, packages, hotPaths, causes } = profile;
  const others = causes.filter(({ id }) => !hotPaths.some(path => path.causes.includes(id)));
  const isBound = cpu?.basis === 'samples-upper-bound';
  return section(
    'hot-paths',
    TITLE,
    inFull(lede(describeBase(profile, cpu, selected))),
    only(['short'], shortPaths(hotPaths, MOST_PATHS_SHORT[calls ? 'withCalls' : 'alone'])),
    categories.length > 0
      ? drawing('shares', categories)
      : paragraph('No samples in this selection.', 'empty'),
    inFull(categoryTable(categories, isBound)),
    describePackages(packages, isBound),
    !selected &&
      inFull(folded(part('CPU by middleware', wrapperTable(profile.wrappers ?? [], isBound)))),
    inFull(part('Hot paths', pathList(profile))),
    inFull(part('Other known causes', list(others.map(causeItem)))),
    ...(!selected && profile.soughtText ? showSought(profile.soughtText) : []),
  );
}

/** @param {NonNullable<WordedProfile['soughtText']>} sought */
const showSought = ({ title, text }) => [
  only(['full'], lede(`${title}: ${text}`)),
  onPage(folded(part(title, lede(text)))),
];

/** @param {WordedReport['run']} run @param {WordedReport['cpu']} cpu @param {SelectedProfile | null} profile */
function describeMissing({ kind, command }, cpu, profile) {
  const { recorded = 0, waiting = 0 } = profile?.samples ?? {};
  const isUnasked = kind === 'load' && !profile;
  const ways = [
    recorded > 0 &&
      `None of ${formatCount(recorded)} samples shows a worker at work; ${formatCount(waiting)} were waiting. Send more load, for longer.`,
    cpu?.text,
    !isUnasked && 'Nothing was recorded. To see why, type: `loadflame doctor`',
    command?.startsWith('loadflame cluster ') &&
      'Not recorded: workers in a cluster sent the load.',
  ];
  const how = ['Not recorded. To record it, type: ', code(`${command} --profile`)];
  return section('hot-paths', TITLE, paragraph(ways.find(Boolean) || how, 'empty'));
}

/** @param {Pick<WordedProfile, 'samples' | 'categories'> & {hotPaths: ShownPath[]}} profile @param {CpuUse | null} cpu @param {Selected | null} [selected] */
function describeBase({ samples, ...profile }, cpu, selected) {
  const of = selected ? `${formatCount(selected.samples)} of ` : '';
  const base = `${of}${formatCount(samples.active - (samples.native ?? 0))} active samples; ± is a 95 % interval`;
  if (selected?.requests && selected.cpuMs !== null)
    return `${base}; the workers used ${formatDuration(selected.cpuMs)} of CPU for ${formatNumberOf(selected.requests, 'request')}`;
  if (selected || !cpu?.perRequest) return base;
  const cost = formatMs(cpu.perRequest.value);
  return cpu.basis === 'samples-upper-bound'
    ? `${base}; a request costs at most ${cost} of CPU (from samples)`
    : `${base}; a request costs ${cost} of CPU, counted by the operating system${describeOutside(profile, cpu.perRequest.value)}`;
}

/** @param {ShownPath[]} paths @param {number} most */
function shortPaths(paths, most) {
  return table('The largest paths', paths.slice(0, most), [
    column('', ({ label, entry }) => `${label} in ${entry.function} (${formatPlace(entry)})`),
    amount('of the CPU', ({ share }) => share, 'share'),
    paths.some(({ cpuMsPerRequest }) => cpuMsPerRequest) &&
      amount('per request', ({ cpuMsPerRequest }) => formatEstimateMs(cpuMsPerRequest)),
  ]);
}

/** A path of a selection, without the analysis, which is valid only for the whole run. @param {Omit<ShownPath, 'text'>} path */
export function describeSelectedPath({ label, entry, share, cpuMsPerRequest }) {
  return `${label} in \`${entry.function}\` (${formatPlace(entry)}): ${formatShare(share)}${describeCost(cpuMsPerRequest)}`;
}

/** Paths with text; a cause appears once, with all of its places. @param {Pick<SelectedProfile, 'hotPaths' | 'causes'>} profile */
function pathList({ hotPaths, causes }) {
  let most = LARGE_PATHS;
  const left = new Map(causes.map(cause => [cause.id, cause]));
  const items = hotPaths.map((path, index) => {
    const own = path.causes.flatMap(id => left.get(id) ?? []);
    for (const { id } of own) left.delete(id);
    if (own.length > 0 || (path.flagged && path.causes.length === 0))
      most = Math.max(most, index + 1);
    const { function: name } = path.entry;
    return item(
      path.text,
      { level: path.flagged ? 'bad' : 'info' },
      onPage(paragraph(`entered at ${name} (${formatPlace(path.entry)})`, 'lede')),
      drawing('find', name),
      list(own.map(causeItem)),
      onPage(
        table('Heaviest functions in it; shares are of all active samples', path.heaviest, [
          column('', frame => [code(frame.function), muted(` ${formatPlace(frame)}`)]),
          amount('self', ({ self }) => self, 'share'),
          amount('with what it calls', ({ total }) => total, 'share'),
        ]),
      ),
    );
  });
  const isKept = (/** @type {ShownPath} */ path) => path.flagged || path.causes.length > 0;
  return list(
    items,
    most,
    findSmall(hotPaths, 'paths', path => path.share.value, isKept),
  );
}

/** @param {ShownPath['cpuMsPerRequest']} cost */
const describeCost = cost => (cost ? `, ${formatEstimateMs(cost)} per request` : '');

/** @param {WordedCause} cause */
function causeItem({ title, share, cpuMsPerRequest, evidence, explanation, advice, text }) {
  return item(
    `${title}: ${formatShare(share)}${describeCost(cpuMsPerRequest)}`,
    { isOpen: true },
    onPage(paragraph(explanation)),
    evidence.length > 0 && onPage(paragraph(code(evidence.join(' → ')))),
    pairs(text.map(({ label, value }) => [value, label])),
    paragraph(advice, 'advice'),
  );
}

/** @param {CategoryShare[]} categories @param {boolean} [isBound] costs are upper bounds */
function categoryTable(categories, isBound = false) {
  const percents = roundShares(categories.map(({ share }) => share.value));
  const widest = Math.max(...categories.map(({ share }) => share.value));
  return table(
    'CPU by category',
    categories,
    [
      column('', ({ label, color, mayBeOnce }) => {
        return { text: mayBeOnce ? `${label}, once per worker` : label, color };
      }),
      column('', ({ share, color }) => ({ bar: share.value / widest, color })),
      amount('of the CPU', ({ share }, index) => formatShare(share, percents[index])),
      perRequestColumn(categories, isBound),
    ],
    { small: findSmall(categories, 'categories', ({ share }) => share.value) },
  );
}

const MOST_PACKAGES = 8;
const ABOUT_PACKAGES = 'C code (drivers) and the standard library count for their callers.';

/** @param {PackageShare[]} packages @param {boolean} isBound costs are upper bounds */
function describePackages(packages, isBound) {
  const rows = table(
    'CPU by package',
    packages,
    [
      column('package', ({ name }) => name),
      column('', ({ kind }) => muted(kind === 'observability' || kind === 'companion' ? kind : '')),
      ...costColumns(packages, isBound),
    ],
    { most: MOST_PACKAGES },
  );
  return rows && inFull(folded(part('CPU by package', lede(ABOUT_PACKAGES), rows)));
}

const ABOUT_WRAPPERS =
  'what it uses itself, without the parts further in; tasks that it starts are not in it';

/** @param {NonNullable<WordedProfile['wrappers']>} wrappers @param {boolean} isBound costs are upper bounds */
function wrapperTable(wrappers, isBound) {
  const nameOf = (/** @type {(typeof wrappers)[number]} */ { name, file }) =>
    file ? `${name} (${formatPlace({ file })})` : name;
  return table(
    'CPU by middleware',
    wrappers,
    [column('part', nameOf, ABOUT_WRAPPERS), ...costColumns(wrappers, isBound)],
    { most: MOST_PACKAGES },
  );
}

/** @param {PackageShare[]} all @param {boolean} isBound */
function costColumns(all, isBound) {
  return [amount('of the CPU', ({ share }) => formatShare(share)), perRequestColumn(all, isBound)];
}

/** @param {Pick<PackageShare, 'cpuMsPerRequest'>[]} all @param {boolean} isBound */
function perRequestColumn(all, isBound) {
  return (
    all.some(({ cpuMsPerRequest }) => cpuMsPerRequest) &&
    amount(isBound ? 'per request, at most' : 'per request', ({ cpuMsPerRequest }) =>
      formatEstimateMs(cpuMsPerRequest),
    )
  );
}

/** Task workers recorded beside the API. @param {WordedTaskWorkers | null | undefined} workers */
export function describeTaskWorkers(workers) {
  if (!workers) return null;
  const { text, categories } = workers;
  return inFull(
    section(
      'task-workers',
      text.title,
      ...text.sentences.map(sentence => paragraph(sentence)),
      categories.length > 0 && drawing('shares', categories),
      categoryTable(categories),
      pathList(workers),
    ),
  );
}
