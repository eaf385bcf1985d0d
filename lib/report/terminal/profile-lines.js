import { plainLine } from '../../files/plain-text.js';
import {
  formatCount,
  formatEstimateMs,
  formatMs,
  formatNumberOf,
  formatPercent,
  formatPlace,
  formatShare,
  roundShares,
} from '../../format.js';
import { describeStartUp } from '../../text/hot-path.js';
import { splitPaths } from '../split-paths.js';
import {
  alignColumns,
  drawBar,
  padEnd,
  padStart,
  shortenText,
  textWidth,
  wrapText,
} from './text.js';

/** @import { CpuUse } from '../../facts/profile-report.d.ts' */
/** @import { WordedCause, WordedPath, WordedProfile, WordedTaskWorkers } from '../../text/worded-report.d.ts' */
/** @import { Paint } from './text.js' */

/** The page shows them all. */
const WRAPPERS_SHOWN = 5;
const LARGE_PATHS = 3;

/**
 * Where the CPU time of a request goes: hot paths as sentences with their causes, then all categories.
 * @param {WordedProfile} profile
 * @param {CpuUse | null} cpu
 * @param {number} width
 * @param {Paint} paint
 * @returns {string[]}
 */
export function profileLines(profile, cpu, width, paint) {
  const title = paint('bold', 'Where the CPU time of a request goes');
  const { active, waiting, recorded } = profile.samples;
  if (active === 0) {
    const text =
      recorded === 0
        ? 'The profiler recorded no sample. Type: loadflame doctor'
        : `None of ${formatCount(recorded)} samples shows a worker at work; ${formatCount(waiting)} were waiting. Let more load run for longer.`;
    return [title, ...wrapText(text, width, '  ')];
  }
  const { large, small } = splitPaths(profile.hotPaths, LARGE_PATHS);
  const shown = new Set(profile.hotPaths.flatMap(({ causes }) => causes));
  return [
    title,
    ...wrapText(describeBase(profile, cpu), width, '  ').map(line => paint('dim', line)),
    ...largeLines(large, profile, width, paint),
    ...(small.length > 0
      ? ['', `  ${formatNumberOf(small.length, 'smaller path')} in report.html`]
      : []),
    ...profile.causes
      .filter(({ id }) => !shown.has(id))
      .flatMap(cause => ['', ...causeLines(cause, width, paint, '  ')]),
    '',
    ...categoryLines(profile, width, paint),
    ...wrapperLines(profile, width, paint),
  ];
}

/**
 * The same of task workers beside the API.
 * @param {WordedTaskWorkers} workers @param {number} width @param {Paint} paint
 */
export function taskWorkerLines(workers, width, paint) {
  const { text, hotPaths, categories } = workers;
  const { large } = splitPaths(hotPaths, LARGE_PATHS);
  return [
    paint('bold', text.title),
    ...text.sentences.flatMap(sentence => wrapText(sentence, width, '  ')),
    ...largeLines(large, workers, width, paint),
    ...(categories.length > 0 ? ['', ...categoryLines(workers, width, paint)] : []),
  ];
}

/** @param {WordedProfile} profile @param {CpuUse | null} cpu */
function describeBase({ samples, categories }, cpu) {
  const base = `${formatCount(samples.active)} active samples; ± is a 95 % interval`;
  if (!cpu?.perRequest) return base;
  if (cpu.basis === 'samples-upper-bound')
    return `${base}; a request costs at most ${formatMs(cpu.perRequest.value)} of CPU (from samples)`;
  return `${base}; a request costs ${formatMs(cpu.perRequest.value)} of CPU, counted by the operating system${describeStartUp(categories)}`;
}

/** @param {Pick<WordedProfile, 'categories'>} profile @param {number} width @param {Paint} paint */
function categoryLines({ categories }, width, paint) {
  const percents = roundShares(categories.map(({ share }) => share.value));
  const rows = categories.map(({ label, share, cpuMsPerRequest }, index) => ({
    label: plainLine(label),
    share: formatShare(share, percents[index]),
    cpu: cpuMsPerRequest ? formatEstimateMs(cpuMsPerRequest) : '',
    value: share.value,
  }));
  const labels = Math.min(24, Math.max(...rows.map(({ label }) => textWidth(label))));
  const shares = Math.max(...rows.map(({ share }) => textWidth(share)));
  const costs = Math.max(...rows.map(({ cpu }) => textWidth(cpu)));
  const room = Math.max(6, Math.min(32, width - 2 - labels - shares - costs - 6));
  const widest = Math.max(...rows.map(({ value }) => value));
  return rows.map(({ label, share, cpu, value }) => {
    const bar = paint('cyan', padEnd(drawBar(value / widest, room), room));
    const name = padEnd(shortenText(label, labels), labels);
    return `  ${name}  ${bar}  ${padStart(share, shares)}  ${padStart(cpu, costs)}`.trimEnd();
  });
}

/** @param {WordedProfile} profile @param {number} width @param {Paint} paint */
function wrapperLines({ wrappers }, width, paint) {
  if (wrappers.length === 0) return [];
  const rows = wrappers
    .slice(0, WRAPPERS_SHOWN)
    .map(({ function: name, file, own, through }) => [
      `${plainLine(name)} (${plainLine(file)})`,
      formatShare(own),
      formatPercent(through),
    ]);
  return [
    '',
    paint('bold', 'Decorators and middleware'),
    ...alignColumns([['', 'own', 'passes through'], ...rows], width),
  ];
}

/** A cause is told once, with all of its places. @param {WordedPath[]} paths @param {Pick<WordedProfile, 'causes'>} profile @param {number} width @param {Paint} paint */
function largeLines(paths, profile, width, paint) {
  const left = new Map(profile.causes.map(cause => [cause.id, cause]));
  return paths.flatMap(path => {
    const causes = path.causes.flatMap(id => left.get(id) ?? []);
    for (const { id } of causes) left.delete(id);
    return ['', ...pathLines(path, causes, width, paint)];
  });
}

/** @param {WordedPath} path @param {WordedCause[]} causes @param {number} width @param {Paint} paint */
function pathLines(path, causes, width, paint) {
  const mark = path.flagged ? paint('red', '▶ ') : paint('dim', '· ');
  const { function: name, file, line } = path.entry;
  // most sentences say it already
  const named = path.text.includes(name) && path.text.includes(file);
  const entry = `entered at ${name} (${formatPlace({ file, line })})`;
  return [
    ...wrapText(path.text, width, mark),
    ...(named ? [] : wrapText(entry, width, '  ').map(text => paint('dim', text))),
    ...causes.flatMap(cause => causeLines(cause, width, paint, '    ')),
  ];
}

/** @param {WordedCause} cause @param {number} width @param {Paint} paint @param {string} indent */
function causeLines(cause, width, paint, indent) {
  const { title, share, cpuMsPerRequest, advice, text } = cause;
  const cost = cpuMsPerRequest ? `, ${formatEstimateMs(cpuMsPerRequest)} per request` : '';
  return [
    ...wrapText(`${title}: ${formatShare(share)}${cost}`, width, indent),
    ...text
      .flatMap(({ label, value }) => wrapText(`${value}: ${label}`, width, `${indent}  `))
      .map(line => paint('dim', line)),
    ...wrapText(advice, width, `${indent}${paint('green', '→ ')}`),
  ];
}
