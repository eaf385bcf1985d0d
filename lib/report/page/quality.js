import {
  formatBytes,
  formatCores,
  formatCount,
  formatDuration,
  formatMoment,
  formatMs,
  formatPercent,
} from '../../format.js';
import {
  bulletList,
  emptyState,
  h,
  lede,
  mono,
  pairList,
  prose,
  relativeLink,
  section,
  severityTag,
} from './dom.js';
import { amount, table } from './table.js';

/** @import { CpuUse } from '../../facts/profile-report.d.ts' */
/** @import { WordedLoad as LoadReport, WordedProfile as ProfileReport, WordedReport as Report } from '../../text/worded-report.d.ts' */

/** How far the numbers can be trusted. @param {Report} report */
export function renderQuality({ quality, reliability, load, cpu, profile }) {
  return section(
    'quality',
    'Quality of the measurement',
    renderReliability(reliability),
    quality.length > 0
      ? bulletList(
          quality.map(({ level, text }) => [severityTag(level), h('span', {}, prose(text))]),
          { class: 'quality' },
        )
      : emptyState('Nothing is known about the quality of this measurement.'),
    load?.generator && renderGenerator(load.generator),
    profile && [h('h3', {}, 'Samples'), lede(describeSamples(profile, cpu))],
    cpu && cpu.workers.length > 0 && renderWorkers(cpu),
  );
}

const RELIABILITY = /** @type {const} */ ({
  valid: ['good', 'The measurement is valid.'],
  doubtful: ['warn', 'The measurement is doubtful: read its numbers with this in mind.'],
  invalid: ['bad', 'The measurement is not valid: its numbers must not be used.'],
});

/** @param {Report['reliability']} validity */
function renderReliability({ level, reasons }) {
  const [tag, text] = RELIABILITY[level];
  return h(
    'div',
    { class: 'validity' },
    h('p', {}, severityTag(tag, level), text),
    reasons.length > 0 && bulletList(reasons.map(reason => prose(reason.text))),
  );
}

/** @param {ProfileReport} profile @param {CpuUse | null} cpu */
function describeSamples({ source, rateHz, samples, segments }, cpu) {
  const { workerRestarts = 0, samplesToCpu = null } = cpu ?? {};
  const parts = [
    `${source}${rateHz === null ? '' : ` at ${formatCount(rateHz)} Hz`}: ${formatCount(samples.recorded)} samples recorded, ${formatCount(samples.inWindow)} in the measurement window; ` +
      `${formatCount(samples.active)} active in workers (the base of all shares), ${formatCount(samples.waiting)} waiting (excluded), ${formatCount(samples.master)} of the master`,
    segments &&
      `${formatCount(segments.count)} segments, ${formatCount(segments.lost)} lost, ${formatMs(segments.unsampledMs)} not sampled, ${formatCount(segments.errors)} sampling errors`,
    workerRestarts > 0 && `Workers restarted ${formatCount(workerRestarts)} times`,
    samplesToCpu !== null &&
      `Samples account for ${samplesToCpu.toFixed(2)} times the CPU time of the processes (1 is ideal)`,
  ];
  return `${parts.filter(Boolean).join('. ')}.`;
}

/** How the load generator itself did. @param {NonNullable<LoadReport['generator']>} generator */
function renderGenerator({ cores, lag, rssBytesMax, workers }) {
  const facts = [
    cores !== null && `${cores.toFixed(2)} cores in total`,
    rssBytesMax !== null && `at most ${formatBytes(rssBytesMax)} of memory`,
    lag
      ? `users started late by ${formatMs(lag.p50Ms)} (median), ${formatMs(lag.p99Ms)} (p99), ${formatMs(lag.maxMs)} (max)`
      : 'no schedule to be late for (closed loop)',
  ];
  return [
    h('h3', {}, 'Load generator'),
    lede(`${facts.filter(Boolean).join('; ')}.`),
    table('Workers of the load generator', workers, [
      { label: 'Worker', cell: ({ worker }) => formatCount(worker) },
      amount(
        'Busy (mean)',
        ({ utilization }) => utilization,
        formatPercent,
        'event-loop utilization, with waits for a core',
      ),
      amount(
        'Busy (max)',
        ({ utilizationMax }) => utilizationMax,
        formatPercent,
        'the same in the busiest second',
      ),
      amount('Cores used', worker => worker.cores, formatCores),
      amount(
        'Event-loop delay (p99)',
        ({ delayP99Ms }) => delayP99Ms,
        formatMs,
        'of the worst second',
      ),
      amount('Longest GC', ({ gcMaxMs }) => gcMaxMs, formatMs),
      amount('Sockets (max)', ({ socketsMax }) => socketsMax, formatCount),
      amount('Users started', ({ arrivals }) => arrivals, formatCount),
    ]),
  ];
}

/** @param {CpuUse} cpu */
function renderWorkers({ workers }) {
  return table('Worker processes', workers, [
    { label: 'Process', cell: ({ pid, name = `${pid}` }) => mono(name) },
    workers.some(({ samples }) => samples !== null) &&
      amount('Active samples', ({ samples }) => samples, formatCount),
    amount('CPU time', ({ cpuMs }) => cpuMs, formatDuration),
    amount('Cores used (mean)', ({ cores }) => cores, formatCores),
    amount('Memory (max)', worker => worker.rssBytesMax, formatBytes),
    {
      label: 'In the run',
      cell: ({ startedInRun, endedInRun }) =>
        [startedInRun && 'started', endedInRun && 'ended'].filter(Boolean).join(', ') ||
        'throughout',
    },
  ]);
}

/** With what, on what and how it was measured. @param {Report} report */
export function renderRun({ run, generator, createdAtMs }) {
  const { command, script, startedAtMs, endedAtMs, host, versions } = run;
  const settings = run.settings.filter(({ value }) => value !== '');
  const programs = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  /** @type {[string, string | null | false][]} */
  const facts = [
    ['command', command],
    ['targets', run.targets?.text ?? null],
    ['script', script && `${script.name} (sha256 ${script.sha256.slice(0, 12)})`],
    ['started', startedAtMs !== null && formatMoment(startedAtMs)],
    ['ended', endedAtMs !== null && formatMoment(endedAtMs)],
    [
      'host',
      host && `${host.platform}, ${host.cpus} × ${host.cpuModel}, ${formatBytes(host.memoryBytes)}`,
    ],
    ['versions', programs.join(', ')],
    ['report', `${generator.name} ${generator.version}, ${formatMoment(createdAtMs)}`],
  ];
  return section(
    'run',
    'Run',
    pairList(facts, 'run-facts'),
    run.files.length > 0 && [
      h('h3', {}, 'Files'),
      bulletList(
        run.files.map(({ path, label }) => [
          h('a', { href: relativeLink(path) }, path),
          ` ${label}`,
        ]),
        { class: 'files' },
      ),
    ],
    settings.length > 0 && [
      h('h3', {}, 'Settings'),
      table('Settings in force; others are not set', settings, [
        { label: 'Name', cell: ({ name }) => mono(name) },
        { label: 'Value', cell: ({ value }) => mono(value) },
        { label: 'From', cell: ({ source }) => source },
      ]),
    ],
  );
}
