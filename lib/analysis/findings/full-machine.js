/** The machine had no idle CPU left: generator and target took it from each other. */
const FULL = 0.9;

/** @type {import('./index.js').FindingRule} */
export function findFullMachine({ load, profile, run }) {
  const { hostCores, generatorCores, pySpyCores } = profile?.cpu ?? {};
  const cpus = run.host?.cpus;
  if (!load || !cpus || !hostCores || !generatorCores || hostCores < cpus * FULL) return [];
  return [
    {
      id: 'full-machine',
      severity: 'warn',
      title: `The machine was full (${hostCores.toFixed(1)} of ${cpus} cores): the load generator and the API took CPU from each other.`,
      detail:
        'Latency and throughput of this run are those of a crowded machine. CPU time per request still holds; what the API could do alone does not follow from it.',
      evidence: [
        { label: 'load generator', value: `${generatorCores.toFixed(2)} cores` },
        ...(pySpyCores ? [{ label: 'py-spy', value: `${pySpyCores.toFixed(2)} cores` }] : []),
      ],
      advice: 'Lower ARRIVAL_RATE, or run the API on another machine.',
      link: 'quality',
    },
  ];
}
