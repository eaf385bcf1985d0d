import { judgeValidity } from '../validity.js';

/** @type {import('./index.js').FindingRule} */
export function findInvalidLoad({ load }) {
  const invalid = load && judgeValidity(load);
  if (!invalid) return [];
  return [
    {
      id: `invalid-load.${invalid.id}`,
      severity: 'bad',
      title: `The load test is not valid: ${invalid.reason}.`,
      detail: 'Rates and latencies of this run say nothing about the target under load.',
      evidence: load.errors
        .slice(0, 3)
        .map(({ name, count }) => ({ label: `error ${name}`, value: `${count} ×` })),
      advice:
        'Look at the error samples below, run `loadflame doctor`, and try again with MAX_VIRTUAL_USERS=1.',
      link: 'errors',
    },
  ];
}
