import { formatBytes, formatCount, formatDuration, formatMoment, formatMs } from '../../format.js';
import { emptyState, h, prose, section, severityTag } from './dom.js';
import { renderGenerator } from './generator.js';
import { table } from './table.js';

/** @import { ProfileReport, Report } from '../../analysis/report.d.ts' */

/** How far the numbers can be trusted. @param {Report} report */
export function renderQuality({ quality, validity, load, profile }) {
  return section(
    'quality',
    'Quality of the measurement',
    renderValidity(validity),
    quality.length > 0
      ? h(
          'ul',
          { class: 'quality' },
          quality.map(({ level, text }) =>
            h('li', {}, severityTag(level), h('span', {}, prose(text))),
          ),
        )
      : emptyState('Nothing is known about the quality of this measurement.'),
    load && renderGenerator(load),
    profile?.overhead && [
      h('h3', {}, 'What the profiler costs'),
      h('p', { class: 'lede' }, prose(profile.overhead.text)),
    ],
    profile && [h('h3', {}, 'Samples'), h('p', { class: 'lede' }, describeSamples(profile))],
    profile && profile.workers.length > 0 && renderWorkers(profile),
  );
}

const VALIDITY = {
  valid: { tag: /** @type {const} */ ('good'), text: 'The measurement is valid.' },
  doubtful: {
    tag: /** @type {const} */ ('warn'),
    text: 'The measurement is doubtful: read its numbers with this in mind.',
  },
  invalid: {
    tag: /** @type {const} */ ('bad'),
    text: 'The measurement is not valid: its numbers must not be used.',
  },
};

/** @param {Report['validity']} validity */
function renderValidity({ level, reasons }) {
  const { tag, text } = VALIDITY[level];
  return h(
    'div',
    { class: 'validity' },
    h('p', {}, severityTag(tag, level), text),
    reasons.length > 0 &&
      h(
        'ul',
        {},
        reasons.map(reason => h('li', {}, prose(reason.text))),
      ),
  );
}

/** @param {ProfileReport} profile */
function describeSamples({ source, rateHz, samples, segments, workerRestarts, cpu }) {
  const parts = [
    `${source}${rateHz === null ? '' : ` at ${formatCount(rateHz)} Hz`}: ${formatCount(samples.recorded)} samples recorded, ${formatCount(samples.inWindow)} in the window; ` +
      `${formatCount(samples.active)} active in workers (the base of all shares), ${formatCount(samples.waiting)} waiting (taken out), ${formatCount(samples.master)} of the master`,
    segments &&
      `${formatCount(segments.count)} segments, ${formatCount(segments.lost)} lost, ${formatMs(segments.unsampledMs)} seen as not sampled, ${formatCount(segments.errors)} sampling errors`,
    workerRestarts > 0 && `Workers restarted ${formatCount(workerRestarts)} times`,
    cpu.samplesToCpu !== null &&
      `Samples say ${cpu.samplesToCpu.toFixed(2)} times the CPU time of the processes (1 is ideal)`,
  ];
  return `${parts.filter(Boolean).join('. ')}.`;
}

/** @param {ProfileReport} profile */
function renderWorkers({ workers }) {
  return table(
    'Worker processes',
    [
      'Process',
      'Active samples',
      'CPU time',
      'Cores used (mean)',
      'Memory (highest)',
      'In the run',
    ].map((label, index) => ({ label, number: index > 0 && index < 5 })),
    workers.map(worker => ({
      cells: [
        h('span', { class: 'mono' }, String(worker.pid)),
        formatCount(worker.samples),
        formatDuration(worker.cpuMs),
        worker.cores === null ? '–' : worker.cores.toFixed(2),
        formatBytes(worker.rssBytesMax),
        [worker.startedInRun && 'started', worker.endedInRun && 'ended']
          .filter(Boolean)
          .join(', ') || 'all the time',
      ],
    })),
  );
}

/** With what, on what and how it was measured. @param {Report} report */
export function renderRun({ run, generator, createdAtMs }) {
  const facts = [
    ['command', run.command],
    ['script', run.script && `${run.script.name} (sha256 ${run.script.sha256.slice(0, 12)})`],
    ['started', run.startedAtMs !== null && formatMoment(run.startedAtMs)],
    ['ended', run.endedAtMs !== null && formatMoment(run.endedAtMs)],
    [
      'host',
      run.host &&
        `${run.host.platform}, ${run.host.cpus} × ${run.host.cpuModel}, ${formatBytes(run.host.memoryBytes)}`,
    ],
    [
      'versions',
      Object.entries(run.versions)
        .map(([name, version]) => `${name} ${version}`)
        .join(', '),
    ],
    ['report', `${generator.name} ${generator.version}, ${formatMoment(createdAtMs)}`],
  ].filter(([, value]) => value);
  return section(
    'run',
    'Run',
    h(
      'dl',
      { class: 'run-facts' },
      facts.map(([label, value]) =>
        h('div', {}, h('dt', {}, String(label)), h('dd', {}, String(value))),
      ),
    ),
    run.files.length > 0 && [
      h('h3', {}, 'Files'),
      h(
        'ul',
        { class: 'files' },
        run.files.map(({ path, label }) =>
          h('li', {}, h('a', { href: relativeLink(path) }, path), ` ${label}`),
        ),
      ),
    ],
    run.settings.length > 0 && [
      h('h3', {}, 'Settings'),
      table(
        'Settings as they were in force',
        [{ label: 'Name' }, { label: 'Value' }, { label: 'From' }],
        run.settings.map(({ name, value, source }) => ({
          cells: [h('span', { class: 'mono' }, name), h('span', { class: 'mono' }, value), source],
        })),
      ),
    ],
  );
}

/** A link that stays a relative path whatever the path says. @param {string} path */
function relativeLink(path) {
  return `./${path.split('/').map(encodeURIComponent).join('/')}`;
}
