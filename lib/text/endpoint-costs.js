import { formatCount, formatNumberOf, formatPercent } from '../base/format.js';

/** @import { EndpointCosts } from '../run/facts/costs.d.ts' */
/** @import { ProfileReport } from '../run/facts/profile-report.d.ts' */

/** Why there may be no headers although the API has the companion. */
const WHO =
  'With LOADFLAME=1 its headers go only to clients on its own machine that came through no proxy; others need a key (docs/companion.md).';
const COMPANION = `The companion measures whole requests per endpoint: \`loadflame companion\` copies it beside the app. ${WHO}`;
/** For a profile without known views: a plain WSGI app without the companion. */
export const WITHOUT_VIEWS = `No view function could be recognised on the stacks, so the CPU of an endpoint is not known. ${COMPANION}`;

/** Where rows are whole requests, little is in none of them. */
const MUCH_LEFT = 0.25;

/** CPU of unknown requests. @param {NonNullable<EndpointCosts['unattributed']>} left @returns {string} empty if little */
const sayNative = ({ nativeShare }) =>
  nativeShare === undefined
    ? ''
    : `threads of C code used ${formatPercent(nativeShare)}, and which requests they worked for is not known. So the CPU of a request has only a lower limit: load one endpoint alone to measure it.`;

/** The CPU that no row has. @param {Pick<EndpointCosts, 'basis' | 'tying' | 'unattributed'>} costs */
export function sayLeft({ basis, tying: { later = 0 }, unattributed }) {
  const isOfViews = basis === 'view' || basis === 'source';
  if (!unattributed?.share || (!isOfViews && unattributed.share < MUCH_LEFT)) return '';
  const left = ` ${formatPercent(unattributed.share)} of the CPU is in no row: `;
  if (!isOfViews)
    return `${left}${sayNative(unattributed) || 'requests without a response. Others may cost more than their row says, if they make threads of C code work (hashes), or threads of their own.'}`;
  return later > 0
    ? `${left}responses are rendered or streamed after their view returned. Stacks do not show which view's they are, so what a view costs is not known.`
    : unattributed.aside
      ? `${left}most of it is below \`${unattributed.aside.function}\` (${unattributed.aside.file}), outside of known views: in a decorator of views, or in what one calls.`
      : `${left}the server and the framework around the views, views without a function of their own, background threads.`;
}

/**
 * How samples were assigned to endpoints, and how certain that is.
 * @param {Pick<EndpointCosts, 'basis' | 'tying' | 'endpoints' | 'unattributed'>} costs
 * @param {Partial<Pick<ProfileReport, 'profiler' | 'categories'>> | null} profile
 */
export function explainTying({ basis, tying, endpoints, unattributed }, profile) {
  const around = endpoints.some(({ aroundMsPerRequest }) => aroundMsPerRequest)
    ? ' It includes what the server spends around the application (accepting, reading, writing, the access log).'
    : '';
  const ofNone =
    unattributed && unattributed.share > 0
      ? ` ${formatPercent(unattributed.share)} of the CPU belongs to no endpoint: ${sayNative(unattributed) || 'background threads, imports, requests that ended without a response, and other work of the server.'}`
      : '';
  if (endpoints.every(({ samples }) => samples === 0))
    return `The companion measured the cost of a request to each endpoint in the workers (thread CPU).${around || ' It ends with the response headers and does not include what the server does around the app.'}${unattributed ? ofNone : ' This run has no profile, so what else the workers did is not known.'}`;
  const { measured, inside, shared, views, hasLoad } = tying;
  const isPaused = profile?.profiler?.pausesTarget ?? false;
  const clock =
    measured > 0
      ? ` The cost of a request to ${measured === endpoints.length ? 'each endpoint' : `${measured} of ${endpoints.length} endpoints`} was measured in the workers (thread CPU). Samples only split it.${around} The rest of the workers' CPU time is spent outside of requests${isPaused ? ', and in the stops for samples' : ''}.`
      : '';
  // Only some workers had it, only for a moment, or it did not know the CPU time.
  const hasCompanion = endpoints.some(({ serverMsPerRequest }) => serverMsPerRequest !== null);
  const unmeasured = hasCompanion
    ? 'Not all responses reported their CPU time, so samples divide that of the workers: `loadflame doctor` checks this.'
    : `No response reported its cost to this load. ${WHO}`;
  if (basis === 'companion')
    return `The companion wrote the route of each request on the stack; ${formatPercent(inside - shared)} of the samples are inside a request${shared > 0 ? `, ${formatPercent(shared)} are in the server around them and were divided evenly` : ''}.${clock || (hasLoad ? ` ${unmeasured}` : '')}${ofNone}`;
  if (basis === 'only')
    return `The load has one endpoint, so all CPU of the server is for its requests.${ofNone}`;
  const ties = hasLoad
    ? `${views.bySource > 0 ? `${formatNumberOf(views.bySource, 'view')} matched to an endpoint by the route in the source` : 'No view could be matched to an endpoint by a route in the source'}${views.bySource > 0 && views.untied > 0 ? `, ${formatCount(views.untied)} not matched` : ''}.`
    : 'There was no load test with endpoints to match them to.';
  const native = profile?.categories?.find(({ id }) => id === 'native');
  const without = native
    ? `, but without native threads that they start. These took ${formatPercent(native.share.value)} of the CPU and are in no row, so a view that uses them costs more than its row shows`
    : '';
  return `These are view functions, with everything that they call${without}. ${ties}${sayLeft({ basis, tying, unattributed })}${hasCompanion ? '' : ` ${COMPANION}`}`;
}
