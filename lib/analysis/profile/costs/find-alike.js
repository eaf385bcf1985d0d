/** Views that may be several functions under one name. */

/** @import { EndpointCosts } from '../../../facts/costs.d.ts' */

/** Of methods of views, by convention of frameworks; a class of a file may each have one. */
const METHOD =
  /^(?:get|post|put|patch|delete|head|options|list|retrieve|create|update|partial_update|destroy)$/;
/** From this minor version on Python tells the class of a method. */
const QUALIFIES = 11;

/**
 * Python before 3.11 calls methods of several classes in one file alike. Where the source was read they were told
 * apart, or it was seen that there is one.
 * @param {EndpointCosts} costs
 * @param {Pick<import('../../read/read-run.js').RunRecords, 'segments' | 'calls'>} records
 * @returns {{function: string, file: string}[]}
 */
export function findAlike({ endpoints, basis }, { segments, calls }) {
  const { python } = segments.find(({ kind }) => kind === 'recording-start') ?? {};
  const minor = Number(/^3\.(\d+)/.exec(python ?? '')?.[1] ?? QUALIFIES);
  if (minor >= QUALIFIES || basis === 'companion') return [];
  const read = new Set(calls.map(({ file }) => file));
  const views = endpoints
    .flatMap(endpoint => endpoint.views)
    .filter(view => METHOD.test(view.function) && !read.has(view.file));
  return [...new Map(views.map(view => [`${view.function}\n${view.file}`, view])).values()];
}
