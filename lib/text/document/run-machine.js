/** Parts of a document about the bottleneck of a run, the spread of its traffic and its quality. */
import {
  formatBytes,
  formatCount,
  formatMoment,
  formatMs,
  formatNumberOf,
  formatPercent,
  formatRate,
  formatRoughShare,
} from '../../base/format.js';
import { countRestarts } from '../cluster.js';
import { BALANCE_BASES } from '../findings-bottleneck.js';
import { sayPath, sayResource } from '../resources.js';
import { capitalize, endSentence, formatFew, nameHost } from '../words.js';
import {
  amount,
  code,
  column,
  facts,
  folded,
  inFull,
  item,
  lede,
  list,
  only,
  onPage,
  pairs,
  paragraph,
  part,
  section,
  table,
  tag,
} from './build.js';

/** @import { BalanceGroup } from '../../run/facts/costs.d.ts' */
/** @import { Estimate } from '../../base/math/estimate.d.ts' */
/** @import { WordedCluster, WordedReport, WordedWaits } from '../worded-report.d.ts' */
/** @import { Proof, StatementText } from '../text.d.ts' */
/** @import { Level, Section } from './document.d.ts' */

const ABOUT_RESOURCES =
  'Means over the load. “At most” is the throughput at which it would be in use all the time, with requests and other programs as they are now.';
const ABOUT_PATHS =
  'More requests per second for the same users, with everything else as it is now.';
const MOST_KINDS = 4;
const MOST_FIXES = 4;
const MOST_DOUBTS_SHORT = 2;

/** The bottleneck, what request threads wait for, and the gain of a fix. @param {WordedReport} report */
export function describeBottleneck({ bottleneck, whatIf, profile, calls }) {
  const waits = profile?.waits ?? null;
  const { name = '', title = '', detail, evidence = [], advice = null } = bottleneck?.text ?? {};
  const head = tag(bottleneck?.id === 'none' ? 'good' : 'info', name);
  return section(
    'bottleneck',
    'The bottleneck',
    advice && only(['short'], paragraph(endSentence(capitalize(name)))),
    only(['full'], paragraph(title)),
    onPage(bottleneck && paragraph([head, title])),
    onPage(folded(part('Evidence', facts(evidence)))),
    detail && only(advice ? ['short', 'full', 'page'] : ['full', 'page'], paragraph(detail)),
    advice && only(['short', 'full'], paragraph(advice, 'advice')),
    bottleneck && inFull(folded(describeResources(bottleneck.resources))),
    bottleneck && inFull(folded(describePaths(bottleneck.paths))),
    waits && inFull(folded(describeWaits(waits, calls?.bound != null))),
    inFull(folded(describeWhatIf(whatIf))),
  );
}

/**
 * A part with a table of the same title.
 * @template R
 * @param {string} title @param {string} about @param {R[]} rows
 * @param {Parameters<typeof table<R>>[2]} columns @param {{most?: number}} [options]
 * @returns {Section | null} null without rows
 */
const tablePart = (title, about, rows, columns, options) =>
  rows.length > 0 ? part(title, lede(about), table(title, rows, columns, options)) : null;

/** @param {import('../../run/facts/bottleneck.d.ts').Resource[]} resources */
function describeResources(resources) {
  const rows = resources.map(one => ({ ...one, text: sayResource(one, resources) }));
  return tablePart('What requests hold and wait for', ABOUT_RESOURCES, rows, [
    column('', ({ text }) => text.name),
    amount('in use', ({ inUse }) => formatFew(inUse)),
    amount('of', ({ capacity }) => formatFew(capacity)),
    amount('utilisation', ({ utilisation }) => formatPercent(utilisation)),
    amount('waiting for it', ({ queue }) => formatFew(queue)),
    amount('at most', ({ mostPerSec }) => formatRate(mostPerSec)),
    column('held by', ({ text }) => text.holders ?? ''),
  ]);
}

/** @param {import('../../run/facts/bottleneck.d.ts').PathGain[]} paths */
function describePaths(paths) {
  const rows = paths.map(path => ({ ...path, text: sayPath(path) }));
  return tablePart('What shorter paths would bring', ABOUT_PATHS, rows, [
    column('in', ({ text }) => [code(text.name), ` (${text.file})`]),
    column('time for', ({ text }) => text.does),
    amount('per request', ({ ms }) => formatMs(ms)),
    amount('half as long', ({ half }) => formatGain(half)),
    amount('gone', ({ without }) => formatGain(without)),
  ]);
}

/** @param {Estimate | null} gain */
const formatGain = gain =>
  gain && (gain.value < 0.005 ? 'nothing' : `+${formatPercent(gain.value)}`);

/** @param {WordedWaits} waits @param {boolean} isBound */
function describeWaits({ kinds, busySlots, slots, inFlight, busyThreads }, isBound) {
  const busy = slots === null ? (inFlight ?? busyThreads) : busySlots;
  const few = busy < 0.1 ? 'hardly any' : busy.toFixed(1);
  const base =
    slots === null
      ? `${few} requests were in progress on average${inFlight == null ? '' : ' (as the client counts them)'}`
      : `${few} of ${slots} threads of the workers were inside a request on average`;
  return tablePart(
    'Where requests spend their time',
    `${base}. These are shares of time, waiting included, not of CPU.${isBound ? ' Without idle CPU, waiting for a database or a service includes waiting for the worker.' : ''}`,
    kinds,
    [
      column('', ({ text }) => text),
      column('', ({ share }) => ({ bar: share.value, interval: intervalOf(share) })),
      amount('share of time', ({ id, share, isBound }) =>
        isBound
          ? `at most ${formatPercent(share.high ?? share.value)}`
          : id === 'cpu' && kinds.some(own => own.isBound)
            ? `at least ${formatPercent(share.low ?? share.value)}`
            : formatRoughShare(share),
      ),
      column('in', ({ id, where }) =>
        (id === 'cpu' ? [] : where).flatMap((place, index) => [
          index > 0 ? ', ' : '',
          code(place.function),
          ` ${formatPercent(place.share)}`,
        ]),
      ),
    ],
    { most: MOST_KINDS },
  );
}

/** @param {WordedReport['whatIf']} whatIf */
function describeWhatIf(whatIf) {
  const isKnown = whatIf.some(({ gain }) => gain);
  const conditions = new Set(whatIf.map(({ text }) => text.condition));
  const [shared = ''] = conditions.size === 1 ? conditions : [];
  return tablePart(
    'What a fix would bring',
    shared && endSentence(capitalize(shared)),
    whatIf,
    [
      column('without', ({ text }) => text.title),
      amount('of the CPU', ({ share }) => formatRoughShare(share)),
      isKnown && amount('capacity now', own => own.capacityPerSec?.value, 'perSec'),
      isKnown && amount('then', own => own.capacityAfterPerSec?.value, 'perSec'),
      isKnown && amount('more', ({ gain }) => gain && formatRange(gain)),
      !shared && column('if', ({ text }) => text.condition),
    ],
    { most: MOST_FIXES },
  );
}

/** @param {Estimate} gain */
const formatRange = ({ low, high }) => `${formatPercent(low)} to ${formatPercent(high)}`;

/** @param {Estimate} estimate @returns {[number, number] | undefined} */
const intervalOf = ({ low, high }) => (low === null || high === null ? undefined : [low, high]);

/**
 * Findings, the worst first.
 * @param {{id: string, severity: Level, text: StatementText}[]} findings
 * @param {number} [most] outside of the page, and beside its verdict
 */
export function describeFindings(findings, most) {
  const items = findings.map(({ severity, text }) =>
    item(text.title, { level: severity }, ...explainFinding(text)),
  );
  return section(
    'findings',
    findings.length > 0 ? `Findings (${findings.length})` : 'Findings',
    list(items, most) ?? onPage(paragraph('Nothing stood out in what was measured.')),
  );
}

/** What a finding rests on, and what to do. @param {StatementText} text */
export function explainFinding({ detail, evidence, advice, gain, proof }) {
  return [
    detail && onPage(paragraph(detail)),
    inFull(facts(evidence)),
    advice && inFull(paragraph(advice, 'advice')),
    gain && inFull(paragraph(`Would bring: ${gain}`)),
    proof && inFull(paragraph(sayProof(proof))),
  ];
}

/** @param {Proof} proof */
export const sayProof = ({ when, command, lacks }) => [
  `${when}: `,
  code(command),
  lacks ? `, ${lacks}` : '',
];

/** How traffic spread over workers and instances. @param {WordedReport['balance']} balance */
export function describeBalance(balance) {
  const { workers = null, backends = null } = balance ?? {};
  const noun = backends?.isPods ? 'Pod' : 'Instance';
  const own = section(
    'balance',
    'How the traffic spread',
    workers && describeGroup(workers, 'Worker'),
    backends && describeGroup(backends, noun),
  );
  return inFull(folded(own, 'Requests and CPU time of each'));
}

const MOST_MEMBERS = 4;

/** @param {BalanceGroup} group @param {string} noun */
function describeGroup({ basis, expected, members, min, median, max, isPods }, noun) {
  const byCpu = basis === 'process-cpu';
  const amountOf = (/** @type {BalanceGroup['members'][number]} */ { requests, cpuMs }) =>
    (byCpu ? cpuMs : requests) ?? 0;
  const total = members.reduce((sum, member) => sum + amountOf(member), 0);
  const format = byCpu ? formatMs : formatCount;
  const sentences = [
    `${noun}s: ${format(min)} to ${format(max)}, median ${format(median)}, by ${BALANCE_BASES[basis]}.`,
    members.length === 1 && !isPods && 'Whether there are others is not known.',
    expected !== null && expected !== members.length && `${expected} were expected.`,
  ];
  return [
    lede(sentences.filter(Boolean).join(' ')),
    table(
      `Load by ${noun.toLowerCase()}`,
      members,
      [
        column(noun, ({ id }) => code(id)),
        amount(byCpu ? 'CPU time' : 'requests', amountOf, byCpu ? 'ms' : 'count'),
        amount('share', member => (total > 0 ? amountOf(member) / total : null), 'share'),
        column('', member => ({ bar: max > 0 ? amountOf(member) / max : 0 })),
        !byCpu && amount('CPU time', ({ cpuMs }) => cpuMs, 'ms'),
      ],
      { most: MOST_MEMBERS },
    ),
  ];
}

/** What a cluster reported about the pods of the target. @param {WordedCluster | null | undefined} cluster */
export function describeCluster(cluster) {
  if (!cluster) return null;
  const { text, pods, events } = cluster;
  return inFull(
    section(
      'cluster',
      text.title,
      ...text.sentences.map(sentence => paragraph(sentence)),
      list(text.unseen.map(sentence => item(sentence, { level: 'warn' }))),
      onPage(
        table('Pods during the load', pods, [
          column('Pod', ({ name }) => code(name)),
          amount('Restarts', own => countRestarts([own]), 'count'),
          amount('Not ready', ({ notReadyMs }) => notReadyMs || null, 'duration'),
          amount('Cores, mean', ({ usage }) => usage?.cpuCores.mean, 'cores'),
          amount('Cores, most', ({ usage }) => usage?.cpuCores.max, 'cores'),
          amount('Limit', ({ cpuLimitCores }) => cpuLimitCores, 'cores'),
          amount('Held back', ({ throttling }) => throttling?.share, 'share', 'of periods'),
          amount('Memory, most', ({ usage }) => usage?.memoryBytes.max, 'bytes'),
          amount('Limit', ({ memoryLimitBytes }) => memoryLimitBytes, 'bytes'),
          column('Node', ({ node }) => node),
        ]),
      ),
      onPage(
        table('Warnings of the cluster', events, [
          column('Reason', ({ reason }) => reason),
          amount('Times', ({ count }) => count, 'count'),
          amount('After the start', ({ afterMs }) => afterMs, 'duration'),
          column('Object', ({ object }) => code(object)),
          column('Message', ({ message }) => message),
        ]),
      ),
    ),
  );
}

/**
 * The reliability of the numbers. The short form has doubts that are not findings, and how the clocks of two machines
 * were aligned.
 * @param {WordedReport} report
 */
export function describeQuality({ quality, reliability, findings }) {
  const isFound = (/** @type {string} */ id) => findings.some(finding => finding.id === id);
  const doubts = quality.filter(
    ({ id, level }) => id === 'merged-clock' || (level !== 'ok' && !isFound(id)),
  );
  const items = (/** @type {typeof quality} */ some) =>
    some.map(({ text, level }) => item(text, { level }));
  const at = quality.flatMap(({ level }, index) => (level === 'ok' ? index : []));
  const title = `${formatNumberOf(at.length, 'check')} passed`;
  const passed = at.length > 0 ? { at, title } : undefined;
  return section(
    'quality',
    `Quality of the measurement: ${reliability.level}`,
    only(['short'], list(items(doubts), MOST_DOUBTS_SHORT)),
    inFull(list(items(quality), undefined, passed)),
  );
}

/** How the run was measured: versions, machine, settings. @param {WordedReport} report */
export function describeRunInfo({ run, generator, createdAtMs }) {
  const { id, command, script, startedAtMs, endedAtMs, host, versions, files, settings } = run;
  const programs = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  const links = files.map(({ path, label }) => [{ ...code(path), href: path }, ` ${label}`]);
  const named = files.map(({ path, label }) => ({ label: path, value: label }));
  const known = settings.filter(({ value }) => value !== '');
  const own = section(
    'run',
    'Run',
    pairs([
      ['command', command],
      ['script', script && `${script.name} (sha256 ${script.sha256.slice(0, 12)})`],
      ['started', startedAtMs !== null && formatMoment(startedAtMs)],
      ['ended', endedAtMs !== null && formatMoment(endedAtMs)],
      ['host', host && `${nameHost(host)}, ${formatBytes(host.memoryBytes)}`],
      ['versions', programs.join(', ')],
      ['report', `${generator.name} ${generator.version}, ${formatMoment(createdAtMs)}`],
    ]),
    part('Files', list(links)),
    part(
      'Settings',
      table('Settings in force; others are not set', known, [
        column('Name', ({ name }) => code(name)),
        column('Value', ({ value }) => code(value)),
        column('From', ({ source }) => source),
      ]),
    ),
  );
  return [
    onPage(folded(own, 'Command, versions, files and settings')),
    only(['full'], section('files', `Files of ${id}`, facts(named))),
  ];
}
