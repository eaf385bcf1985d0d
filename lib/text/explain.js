/** Explains a finding, an endpoint or a function of a run, briefly enough for an editor or a coding agent. */
import { plainJson } from '../files/plain-text.js';
import { formatMs, formatNumberOf, formatPlace } from '../format.js';
import { capitalize, describeTail } from './words.js';

/** @import { ExplainedItem, ExplainedPlace, Explanation } from './explanation.d.ts' */
/** @import { WordedFinding, WordedReport } from './worded-report.d.ts' */

const MOST_BYTES = 4096;
const LONGEST_TEXT = 300;
const MOST_PLACES = 8;
/** Places per item of the whole run. */
const FEW_PLACES = 3;
const MOST_PATHS = 3;
const MOST_NAMES = 40;

/**
 * @param {WordedReport} report
 * @param {string} [asked] name of a finding, an endpoint or a function, or a place: `auth.py:57`
 * @returns {Explanation | null} null: nothing in the run has this name
 */
export function explainRun(report, asked) {
  const { run, reliability, verdict, bottleneck } = report;
  const all = listItems(report);
  const whole = [
    ...all.filter(({ kind }) => kind === 'path').slice(0, MOST_PATHS),
    ...all.flatMap(({ advice: _, gain: __, ...own }) => (own.kind === 'finding' ? own : [])),
  ];
  const items = asked
    ? all.filter(item => isCalled(item, asked))
    : whole.map(own => ({ ...own, places: own.places.slice(0, FEW_PLACES) }));
  if (items.length === 0 && asked) return null;
  const gain = cut(report.findings.find(({ id }) => id === 'bottleneck')?.text.gain ?? '') || null;
  const build = (/** @type {number} */ count) =>
    /** @type {Explanation} */ ({
      schema: 'loadflame-explain/1',
      run: { id: run.id, kind: run.kind, status: run.status, reliability: reliability.level },
      verdict: cut(verdict.text.headline),
      bottleneck: bottleneck && { id: bottleneck.id, title: cut(bottleneck.text.title), gain },
      items: items.slice(0, count),
      left: items.length - count,
    });
  let count = items.length;
  while (count > 0 && writeExplanation(build(count)).length > MOST_BYTES) count--;
  return build(count);
}

/** @param {Explanation} explanation @returns {Buffer} a line of JSON */
export const writeExplanation = explanation =>
  Buffer.from(`${plainJson(JSON.stringify(explanation))}\n`);

/** @param {WordedReport} report */
export function listNames(report) {
  const items = listItems(report);
  const functions = items.flatMap(({ places }) => places.map(own => own.function));
  return [...new Set([...items.map(({ name }) => name), ...functions])].slice(0, MOST_NAMES);
}

/** @param {WordedReport} report @returns {ExplainedItem[]} */
function listItems({ findings, profile, costs, load }) {
  const paths = profile?.hotPaths ?? [];
  const heaviest = paths.flatMap(own => own.heaviest);
  return [
    ...paths.map(({ entry, share, heaviest, text }) =>
      makeItem('path', entry.function, text, [
        { ...entry, share: share.value },
        ...heaviest.map(own => ({ ...own, share: own.total.value })),
      ]),
    ),
    ...findings.map(explainFinding),
    ...(load?.endpoints ?? []).map(({ name, requests, errors, totalTime }) => {
      const cost = costs?.endpoints.find(({ loadEndpoint }) => loadEndpoint === name);
      const cpu = cost?.cpuMsPerRequest ? `, CPU ${formatMs(cost.cpuMsPerRequest.value)} each` : '';
      const title = `${formatNumberOf(requests, 'request')}, ${errors} failed${totalTime ? `, ${describeTail(totalTime)}` : ''}${cpu}`;
      const views = (cost?.views ?? []).map(view => {
        const seen = heaviest.find(own => own.function === view.function && own.file === view.file);
        return { ...view, line: seen?.line ?? null };
      });
      return makeItem('endpoint', name, title, views);
    }),
  ];
}

/** @param {WordedFinding} finding @returns {ExplainedItem} */
function explainFinding({ id, of, severity, facts, text: { title, advice, gain } }) {
  /** @type {Parameters<typeof makeItem>[3]} */
  let places = [];
  if ('cause' in facts) places = facts.cause.places?.map(own => ({ ...own, share: null })) ?? [];
  if ('path' in facts) places = [{ ...facts.path.entry, share: facts.path.share.value }];
  if ('call' in facts && facts.call.file)
    places = [{ ...facts.call, function: facts.call.function ?? '', file: facts.call.file }];
  const item = makeItem('finding', (id === 'cause' && of) || id, title, places);
  return {
    ...{ ...item, severity },
    ...(advice && { advice: cut(advice) }),
    ...(gain && { gain: cut(gain) }),
  };
}

/**
 * @param {ExplainedItem['kind']} kind @param {string} name @param {string} title
 * @param {(Pick<ExplainedPlace, 'function' | 'file'> & Partial<ExplainedPlace>)[]} places
 * @returns {ExplainedItem}
 */
function makeItem(kind, name, title, places) {
  const names = places.map(own => `${own.function} ${formatPlace(own)}`);
  const kept = places.filter((_, at) => names.indexOf(names[at] ?? '') === at);
  const shown = kept.slice(0, MOST_PLACES).map(({ line = null, share = null, ...own }) => ({
    ...{ function: cut(own.function), file: cut(own.file), line },
    share: share === null ? null : Number(share.toFixed(3)),
  }));
  return { kind, name, title: cut(title), places: shown };
}

/** Matches an item or one of its places by name; the last part of a dotted name, or the path after a method, is enough. @param {ExplainedItem} item @param {string} asked */
function isCalled({ name, places }, asked) {
  const names = [name, ...places.flatMap(own => [own.function, own.file, formatPlace(own)])];
  const ends = names.flatMap(own => [own, own.split(/[ .]/).at(-1) ?? own]);
  return ends.some(own => own.toLowerCase() === asked.toLowerCase());
}

/** @param {string} text */
const cut = text => (text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT - 1)}…` : text);

/** @param {Explanation} explanation @returns {string} the same as text */
export function describeExplanation({ verdict, bottleneck, items, left }) {
  const parts = items.flatMap(({ kind, name, title, places, advice, gain }) => [
    `\n${capitalize(kind)} ${name}: ${title}`,
    ...places.map(own => `  ${own.function} (${formatPlace(own)})`),
    ...[advice, gain],
  ]);
  const more = left > 0 && `\n${formatNumberOf(left, 'other item')}: name one to see it.`;
  return [verdict, bottleneck?.title, bottleneck?.gain, ...parts, more].filter(Boolean).join('\n');
}
