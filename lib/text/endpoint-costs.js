import { formatMs, formatMsInterval, formatPercent } from '../format.js';
import { joinWords } from './words.js';

/** @import { EndpointCosts } from '../analysis/costs.d.ts' */
/** @import { ProfileReport } from '../analysis/report.d.ts' */

/**
 * How samples were tied to endpoints, and how sure that is.
 * @param {Pick<EndpointCosts, 'basis' | 'tying' | 'endpoints' | 'unattributed'>} costs
 * @param {Pick<ProfileReport, 'segments'> | null} profile
 */
export function explainTying({ basis, tying, endpoints, unattributed }, profile) {
  const around = explainAround(endpoints);
  if (endpoints.every(({ samples }) => samples === 0))
    return `The companion measured in the workers what a request of each costs (thread CPU).${around || ' It ends with the headers of the response: what the server does around the app is not in it.'}${unattributed ? '' : ' No profile is part of this run, so what else the workers did is not known.'}`;
  const { measured, inside, shared, views, hasLoad } = tying;
  const isPaused = profile?.segments?.mode === 'blocking';
  const clock =
    measured > 0
      ? ` What a request of ${measured === endpoints.length ? 'each' : `${measured} of ${endpoints.length}`} costs was measured in the workers (thread CPU); samples only split it.${around} The rest of the workers' CPU time is what runs outside of requests${isPaused ? ', and the stops that samples are taken in' : ''}.`
      : '';
  if (basis === 'companion')
    return `The companion wrote the route of each request on the stack; ${formatPercent(inside - shared)} of the samples are inside a request${shared > 0 ? `, ${formatPercent(shared)} are of the server around them and divided evenly` : ''}.${clock}`;
  const names = (tying.alike ?? []).map(view => `${view.function} (${view.file})`);
  const alike =
    names.length > 0
      ? ` ${joinWords(names)} may ${names.length > 1 ? 'each ' : ''}be several functions: Python before 3.11 calls methods of all classes of a file alike, and the source could not be read to tell them apart.`
      : '';
  if (!hasLoad)
    return `These are view functions: there was no load test with endpoints to match them to.${alike}`;
  const parts = [
    views.bySource > 0 && `${views.bySource} by the route in the source of the view`,
    views.byName > 0 && `${views.byName} by the name of the view`,
    views.byRate > 0 &&
      `${views.byRate} by how the view's CPU followed the rates of the endpoints (least squares)`,
    views.untied > 0 && `${views.untied} not at all: these rows are view functions`,
  ].filter(Boolean);
  const common =
    shared > 0
      ? ` What requests have in common before and after their view, and what the server does around the application (${formatPercent(shared)} of the samples), is divided evenly among the requests that go through it, so costs are estimates.`
      : '';
  return `Samples were matched to endpoints by the view function on the stack: ${parts.join(', ')}.${common}${alike}${clock} With the companion (docs/companion.md) they are exact.`;
}

/**
 * CPU of no endpoint. Only the companion knows that it is of no request: without it the view may not have been
 * recognized.
 * @param {Pick<EndpointCosts, 'basis' | 'unattributed'>} costs
 * @returns {string | null} a sentence
 */
export function describeUnattributed({ basis, unattributed }) {
  if (!unattributed) return null;
  const views = basis === 'companion' ? '' : 'views that were not recognized, ';
  return `${formatPercent(unattributed.share)} of the CPU is of no endpoint: ${views}threads in the background, imports, and what else the server does.`;
}

/**
 * What the server does around the application was measured apart from it; told for the row where it is most.
 * @param {EndpointCosts['endpoints']} endpoints
 */
function explainAround(endpoints) {
  const [most] = endpoints
    .flatMap(({ name, cpuMsPerRequest: all, aroundMsPerRequest: around }) =>
      all && around ? [{ name, all, around }] : [],
    )
    .sort((a, b) => b.around.value / b.all.value - a.around.value / a.all.value);
  if (!most) return '';
  const { name, all, around } = most;
  return ` It is the application's own and what the server spends around it (accepting, reading, writing, the access log); for ${name} it is ${formatMs(all.value - around.value)} and ${formatMs(around.value)}${around.low === null ? '' : ` (${formatMsInterval(around)})`}.`;
}
