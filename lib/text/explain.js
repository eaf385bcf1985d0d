/** Explains a finding, an endpoint or a function of a run, briefly enough for an editor or a coding agent. */
import { cutText, plainJson } from '../base/files/plain-text.js';
import { formatMs, formatNumberOf, formatPercent, formatPlace } from '../base/format.js';
import { findCostOf } from '../run/facts/of-endpoint.js';
import { nameCaller, shortenCall } from './calls.js';
import { describeSlow, sortSlowest } from './slowest.js';
import { capitalize, describeTail, formatFew } from './words.js';

/** @import { ExplainedItem, ExplainedPlace, Explanation } from './explanation.d.ts' */
/** @import { AnnotatedFunction, PackageShare } from '../run/facts/profile-report.d.ts' */
/** @import { WordedFinding, WordedReport } from './worded-report.d.ts' */

const MOST_BYTES = 4096;
const LONGEST_TEXT = 300;
const MOST_PLACES = 8;
/** Places per item of the whole run. */
const FEW_PLACES = 3;
const MOST_PATHS = 3;
const MOST_CATEGORIES = 4;
/** `shop/views.py`, `shop/views.py:34` */
const IS_PLACE = /\.\w+(?::\d+)?$/;
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
    ...all.filter(({ kind }) => kind === 'finding'),
  ];
  const items = asked
    ? all.filter(item => isCalled(item, asked)).map(({ of: _, ...own }) => own)
    : whole.map(({ advice: _, gain: __, proof: ___, of: ____, ...own }) => {
        return { ...own, places: own.places.slice(0, FEW_PLACES) };
      });
  if (items.length === 0 && asked) return null;
  const gain = cut(report.findings.find(({ id }) => id === 'bottleneck')?.text.gain ?? '') || null;
  const build = (/** @type {number} */ count) =>
    /** @type {Explanation} */ ({
      schema: 'loadflame-explain/1',
      run: { id: run.id, kind: run.kind, status: run.status, reliability: reliability.level },
      verdict: cut([verdict.text.doubt, verdict.text.headline].filter(Boolean).join(' ')),
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

/**
 * `of`: more names to request an item by: endpoints, lines
 * @typedef {ExplainedItem & {of?: string[]}} NamedItem
 */

/** @param {WordedReport} report @returns {NamedItem[]} */
function listItems({ findings, profile, costs, load, calls, slowest }) {
  const paths = profile?.hotPaths ?? [];
  const sources = profile?.lines ?? [];
  const heaviest = paths.flatMap(own => own.heaviest);
  return [
    ...(load?.endpoints ?? []).map(({ name, requests, errors, totalTime }) => {
      const cost = findCostOf({ costs }, name);
      const cpu = cost?.cpuMsPerRequest ? `, CPU ${formatMs(cost.cpuMsPerRequest.value)} each` : '';
      const parts = (cost?.byCategory ?? []).slice(0, MOST_CATEGORIES).map(own => {
        const label = profile?.categories?.find(({ id }) => id === own.category)?.label;
        return `${label ?? own.category} ${formatPercent(own.share)}`;
      });
      const split = parts.length > 0 ? `, of its CPU ${parts.join(', ')}` : '';
      const title = `${formatNumberOf(requests, 'request')}, ${errors} failed${totalTime ? `, ${describeTail(totalTime)}` : ''}${cpu}${split}`;
      const places = (cost?.views ?? []).flatMap(({ inThread: _inThread, ...view }) => {
        const isView = (/** @type {typeof view} */ own) =>
          own.function === view.function && own.file === view.file;
        const lines = sources.filter(isView).flatMap(listLines);
        return lines.length > 0 ? lines : [{ ...view, line: heaviest.find(isView)?.line ?? null }];
      });
      return makeItem('endpoint', name, title, places);
    }),
    ...paths.map(({ entry, share, heaviest, text }) =>
      makeItem('path', entry.function, text, [
        { ...entry, share: share.value },
        ...heaviest.map(own => ({ ...own, share: own.total.value })),
      ]),
    ),
    ...findings.map(explainFinding),
    ...(calls?.statements ?? []).map(call => {
      const title = `${call.relation ?? shortenCall(call)}: ${formatFew(call.perRequest)} per request${call.meanMs ? `, mean ${formatMs(call.meanMs)}` : ''}`;
      const place = { ...call, function: call.function ?? '', file: call.file ?? 'not known' };
      const of = call.endpoints.map(({ name }) => name);
      return { ...makeItem('statement', nameCaller(call) ?? call.id, title, [place]), of };
    }),
    ...(profile?.packages ?? []).map(own => makeCostItem('package', own)),
    ...(profile?.wrappers ?? []).map(own =>
      makeCostItem('middleware', own, own.file ? [{ function: own.name, file: own.file }] : []),
    ),
    ...sources.map(own => {
      const of = own.lines.map(({ line }) => formatPlace({ ...own, line }));
      const title = `${formatPercent(own.share)} of the CPU`;
      return { ...makeItem('source', own.function, title, listLines(own)), of };
    }),
    ...sortSlowest({ slowest }).map(slow => {
      const places = slow.calls.slice(0, FEW_PLACES).map(own => {
        return { ...own, function: own.function ?? '', file: own.file ?? 'not known' };
      });
      const name = `slowest ${slow.endpoint}`;
      return { ...makeItem('request', name, describeSlow(slow), places), of: ['slowest'] };
    }),
  ];
}

/**
 * @param {'package' | 'middleware'} kind
 * @param {PackageShare} own
 * @param {Parameters<typeof makeItem>[3]} [places]
 */
function makeCostItem(kind, { name, share, cpuMsPerRequest: cost }, places = []) {
  const each = cost ? `, ${formatMs(cost.value)} per request` : '';
  return makeItem(kind, name, `${formatPercent(share.value)} of the CPU${each}`, places);
}

/** Lines of a function with CPU time, the most expensive first. @param {AnnotatedFunction} own */
const listLines = ({ lines, function: name, file }) =>
  lines
    .filter(({ share }) => share > 0)
    .sort((a, b) => b.share - a.share)
    .map(({ line, share }) => ({ function: name, file, line, share }));

/** @param {WordedFinding} finding @returns {NamedItem} */
function explainFinding({ id, of, severity, facts, text: { title, advice, gain, proof } }) {
  /** @type {Parameters<typeof makeItem>[3]} */
  let places = [];
  if ('cause' in facts) places = facts.cause.places?.map(own => ({ ...own, share: null })) ?? [];
  if ('path' in facts) places = [{ ...facts.path.entry, share: facts.path.share.value }];
  const { cause, endpoint, endpoints, ...known } = /** @type {Record<string, any>} */ (facts);
  const call = known.call ?? known.act;
  const lines = call?.file ? [call, ...(call.alsoFrom ?? [])] : [];
  if (lines[0]) places = lines.map(own => ({ ...own, function: own.function ?? '' }));
  const item = makeItem('finding', (id === 'cause' && of) || id, title, places);
  const used = [endpoint, endpoints, cause?.endpoints, !endpoints && call?.endpoints].flat();
  return {
    ...item,
    severity,
    of: used.map(own => `${own?.name ?? own}`),
    ...(advice && { advice: cut(advice) }),
    ...(gain && { gain: cut(gain) }),
    ...(proof && { proof: { command: proof.command, lacks: proof.lacks } }),
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
  const shown = kept.slice(0, MOST_PLACES).map(({ line = null, share: whole = null, ...own }) => {
    const share = whole === null ? null : Number(whole.toFixed(3));
    return { function: cut(own.function), file: cut(own.file), line, share };
  });
  return { kind, name, title: cut(title), places: shown };
}

/**
 * Matches an item or one of its places by name. The last part of a dotted name, or the path after a method, is enough,
 * and of a file the end of its path.
 * @param {NamedItem} item @param {string} asked
 */
function isCalled({ name, places, of = [] }, asked) {
  const names = [name, ...of, ...places.flatMap(own => [own.function, own.file, formatPlace(own)])];
  const wanted = asked.toLowerCase();
  const isEnd = (/** @type {string} */ all, /** @type {string} */ end) => all.endsWith(`/${end}`);
  return names
    .map(own => own.toLowerCase())
    .some(
      own =>
        [own, own.split(/[ .]/).at(-1)].includes(wanted) ||
        (IS_PLACE.test(own) && (isEnd(own, wanted) || isEnd(wanted, own))),
    );
}

/** @param {string} text */
const cut = text => cutText(text, LONGEST_TEXT);

/** @param {Explanation} explanation @returns {string} the same as text */
export function describeExplanation({ verdict, bottleneck, items, left }) {
  const parts = items.flatMap(({ kind, name, title, places, advice, gain, proof }) => [
    `\n${capitalize(kind)} ${name}: ${title}`,
    ...places.map(own => `  ${own.function} (${formatPlace(own)})`),
    ...[advice, gain, proof && [proof.command, proof.lacks].filter(Boolean).join(', ')],
  ]);
  const more = left > 0 && `\n${formatNumberOf(left, 'other item')}: name one to see it.`;
  return [verdict, bottleneck?.title, bottleneck?.gain, ...parts, more].filter(Boolean).join('\n');
}
