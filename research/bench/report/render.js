/** The figures as a section of docs/performance.md. */
import { MB } from './checks.js';

/** @typedef {import('./build.js').Build} Build */

/**
 * @param {object} figures
 * @param {import('./sizes.js').Size} figures.size
 * @param {ReturnType<typeof import('./build.js').readCounts>} figures.counts
 * @param {Build[]} figures.builds the median one first
 * @param {ReturnType<typeof import('./build.js').measureFiles>} figures.files
 * @param {import('./page.js').PageTimes} figures.page
 * @param {number} figures.demoBytes
 * @param {string} machine
 */
export function renderHour({ size, counts, builds, files, page, demoBytes }, machine) {
  const [build] = builds;
  if (!build) return '';
  const { selection } = page;
  return `One run: ${size.minutes} minutes of load on ${size.endpoints} endpoints (${number(counts.requests)} requests), ${number(counts.samples)} active samples with ${number(counts.stacks)} distinct stacks on ${size.workers} workers, ${counts.windows} windows of time. Built ${builds.length} times by \`loadflame report\` on two cores, everything written.

|  | measured | limit |
| --- | --- | --- |
| build time | ${seconds(build.wallMs)} (${builds.map(({ wallMs }) => seconds(wallMs)).join(', ')}) | 6 s |
| its CPU time | ${seconds(build.cpuMs)} |  |
| cores that other processes used meanwhile | ${builds.map(({ otherCores }) => otherCores.toFixed(1)).join(', ')} |  |
| peak memory | ${Math.round(Math.max(...builds.map(({ peakBytes }) => peakBytes)) / MB)} MB | 500 MB |
| \`report.html\`, without speedscope | ${megabytes(files.html)} | 8 MB |
| \`report.html\` of \`npm start\` | ${megabytes(demoBytes)} | 1.5 MB |
| first paint in Chromium | ${Math.round(page.firstPaintMs)} ms | 1,000 ms |
| until samples can be selected | ${Math.round(page.readyMs)} ms |  |
| brush released until repainted, p50 / p95 / max of ${selection.count} | ${[selection.p50Ms, selection.p95Ms, selection.maxMs].map(Math.round).join(' / ')} ms | 200 ms at p95 |

${machine}`;
}

/**
 * @param {{name: string, counts: ReturnType<typeof import('./build.js').readCounts>, build: Build}[]} sizes
 * @param {string} machine
 */
export function renderGrowth(sizes, machine) {
  const [first] = sizes;
  if (!first) return '';
  const { counts } = first;
  const base = first.build.cpuMs;
  const memory = (/** @type {Build} */ { peakBytes }) => `${Math.round(peakBytes / MB)} MB`;
  const rows = sizes.slice(1).map(({ name, build }, index) => {
    const what = index === 0 ? ' the CPU time' : '';
    return `- ${name}: ${(build.cpuMs / base).toFixed(2)} ×${what}, ${memory(build)}`;
  });
  return `Beside a base of ${number(counts.samples)} samples, ${number(counts.stacks)} stacks and ${number(counts.requests)} requests (${seconds(base)} of CPU, ${memory(first.build)}):

${rows.join('\n')}

${machine}`;
}

/** @param {number} ms */
const seconds = ms => `${(ms / 1000).toFixed(1)} s`;

/** @param {number} bytes */
const megabytes = bytes => `${(bytes / MB).toFixed(1)} MB`;

/** @param {number} value */
const number = value => Math.round(value).toLocaleString('en-US');
