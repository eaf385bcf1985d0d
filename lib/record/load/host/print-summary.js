/** A summary as text, the way that Artillery prints it (console-reporter.ts). */

const WIDTH = 79;

/**
 * @param {string} title
 * @param {Record<string, any>} stats
 * @param {readonly string[]} hidden parts of names that are not shown
 * @returns {string}
 */
export function printSummary(title, { counters, summaries, rates }, hidden) {
  const line = '-'.repeat(title.length);
  const names = [...new Set([counters, summaries, rates].flatMap(Object.keys))].sort();
  const rows = names
    .filter(name => !hidden.some(part => name.includes(part)))
    .flatMap(name => [
      ...(name in counters ? [pad(`${name}:`, counters[name])] : []),
      ...(name in summaries ? printHistogram(name, summaries[name]) : []),
      ...(name in rates ? [`${pad(`${name}:`, rates[name])}/sec`] : []),
    ]);
  const body = rows.length > 0 ? rows : ['No measurements recorded during this period'];
  return [line, title, line, '', ...body, ''].join('\n');
}

/** @param {string} name @param {Record<string, number>} summary */
function printHistogram(name, summary) {
  const shown = ['min', 'max', 'mean', 'median', 'p95', 'p99'];
  return [`${name}:`, ...shown.map(key => pad(`  ${key}:`, Number(summary[key])))];
}

/** @param {string} label @param {number} value */
function pad(label, value) {
  const cut = label.length > WIDTH ? `${label.slice(0, WIDTH - 3)}...` : label;
  return `${cut} ${'.'.repeat(WIDTH - cut.length)} ${value}`;
}
