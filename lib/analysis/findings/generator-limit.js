import { formatMs, formatPercent } from '../../format.js';

/** The generator could not keep up: its figures are its own. @type {import('./index.js').FindingRule} */
export function findGeneratorLimit({ load, run }) {
  const generator = load?.generator;
  const limits = generator?.signs.filter(({ isLimit }) => isLimit) ?? [];
  const [worst] = limits;
  if (!generator || !worst) return [];
  const { length } = generator.workers;
  return [
    {
      id: 'generator-limit',
      severity: 'warn',
      title: `The load generator was the limit: ${worst.text}.`,
      detail:
        'It sent later or less than the script says, and what it waited for itself is in the times. A target that looks slow or full in such a run may be neither.',
      evidence: [
        ...(generator.lag
          ? [{ label: 'users started late (p99)', value: formatMs(generator.lag.p99Ms) }]
          : []),
        ...generator.workers.map(({ worker, utilization, cores, gcMaxMs }) => ({
          label: `worker ${worker}`,
          value: [
            `${formatPercent(utilization)} busy`,
            cores !== null && `${cores.toFixed(2)} of a core`,
            gcMaxMs !== null && gcMaxMs >= 1 && `longest garbage collection ${formatMs(gcMaxMs)}`,
          ]
            .filter(Boolean)
            .join(', '),
        })),
      ],
      advice: advise(worst.id, length, run.host?.cpus ?? null),
      link: 'quality',
    },
  ];
}

/** @param {string} sign @param {number} workers @param {number | null} cpus */
function advise(sign, workers, cpus) {
  if (sign === 'starved')
    return 'Run loadflame on another machine than the target, or lower the rate.';
  if (sign === 'busy' && (cpus === null || workers < cpus))
    return `Give it more workers (\`--workers ${workers + 1}\`), lower the rate, or run it on another machine.`;
  return 'Lower the rate, make hooks and captures of the script cheaper, or run loadflame on a larger machine of its own.';
}
