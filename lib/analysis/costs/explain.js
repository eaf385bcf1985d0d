/** Says in one sentence how samples were tied to endpoints, and how sure that is. */
import { formatPercent } from '../../format.js';

/**
 * @param {object} facts
 * @param {import('../costs.d.ts').CostBasis} facts.basis
 * @param {boolean} facts.isMeasured thread CPU of requests was measured in the workers
 * @param {number} facts.inside share of samples that are of an endpoint
 * @param {number} facts.shared share of samples that was shared out evenly
 * @param {{byName: number, byRate: number, untied: number}} facts.views how many rows were tied which way
 * @param {boolean} facts.hasLoad
 */
export function explainBasis({ basis, isMeasured, inside, shared, views, hasLoad }) {
  if (basis === 'companion') {
    const total = isMeasured
      ? ' What requests cost together was measured in the workers (thread CPU); samples split it.'
      : '';
    return `The gunicorn companion wrote the route of each request on the stack; ${formatPercent(inside)} of the samples are inside of a request.${total}`;
  }
  if (!hasLoad)
    return 'These are view functions: no load was recorded whose endpoints they could be tied to.';
  const parts = [
    views.byName > 0 && `${views.byName} by the name of the view`,
    views.byRate > 0 &&
      `${views.byRate} by how the view's CPU followed the rates of the endpoints (least squares)`,
    views.untied > 0 && `${views.untied} not at all: these rows are view functions`,
  ].filter(Boolean);
  const common =
    shared > 0
      ? ` What requests have in common before and after their view (${formatPercent(shared)} of the samples) was shared out evenly to the requests that go through it, so costs are estimates.`
      : '';
  return `Samples were tied to endpoints by the view function on the stack: ${parts.join(', ')}.${common} The gunicorn companion (docs/companion.md) tells it exactly.`;
}
