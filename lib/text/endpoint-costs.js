import { formatPercent } from '../format.js';

/** @import { EndpointCosts } from '../analysis/costs.d.ts' */
/** @import { ProfileReport } from '../analysis/report.d.ts' */

/**
 * How samples were tied to endpoints, and how sure that is.
 * @param {Pick<EndpointCosts, 'basis' | 'tying' | 'endpoints' | 'unattributed'>} costs
 * @param {Pick<ProfileReport, 'segments'> | null} profile
 */
export function explainTying({ basis, tying, endpoints, unattributed }, profile) {
  if (unattributed === null)
    return 'The companion measured in the workers what a request of each costs: CPU time of its threads up to the headers of the response. No profile is part of this run, so what the server does around the app is not in it.';
  const { measured, inside, shared, views, hasLoad } = tying;
  const isPaused = profile?.segments?.mode === 'blocking';
  const clock =
    measured > 0
      ? ` What a request of ${measured === endpoints.length ? 'each' : `${measured} of ${endpoints.length}`} costs was measured in the workers (thread CPU); samples only split it. The rest of the workers' CPU time is what runs outside of requests${isPaused ? ', and the stops that samples are taken in' : ''}.`
      : '';
  if (basis === 'companion')
    return `The companion wrote the route of each request on the stack; ${formatPercent(inside)} of the samples are inside a request.${clock}`;
  if (!hasLoad)
    return 'These are view functions: there was no load test with endpoints to match them to.';
  const parts = [
    views.bySource > 0 && `${views.bySource} by the route in the source of the view`,
    views.byName > 0 && `${views.byName} by the name of the view`,
    views.byRate > 0 &&
      `${views.byRate} by how the view's CPU followed the rates of the endpoints (least squares)`,
    views.untied > 0 && `${views.untied} not at all: these rows are view functions`,
  ].filter(Boolean);
  const common =
    shared > 0
      ? ` What requests have in common before and after their view (${formatPercent(shared)} of the samples) is divided evenly among the requests that go through it, so costs are estimates.`
      : '';
  return `Samples were matched to endpoints by the view function on the stack: ${parts.join(', ')}.${common}${clock} With the companion (docs/companion.md) they are exact.`;
}
