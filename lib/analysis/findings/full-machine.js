/** The machine had no idle CPU left: what runs on it took CPU from each other. */
const FULL = 0.9;

/** @type {import('./index.js').FindingRule} */
export function findFullMachine({ load, profile, run }) {
  const { hostCores, generatorCores, pySpyCores } = profile?.cpu ?? {};
  const cpus = run.host?.cpus;
  if (!load || !profile || !cpus || !hostCores || !generatorCores || hostCores < cpus * FULL)
    return [];
  const workerCores = profile.workers.reduce((sum, { cores }) => sum + (cores ?? 0), 0);
  const ours = workerCores + generatorCores + (pySpyCores ?? 0);
  const others = Math.max(0, hostCores - ours);
  const isOthers = others > ours;
  const who = isOthers
    ? 'most of it used by processes that are no part of this run'
    : 'the load generator and the API took CPU from each other';
  return [
    {
      id: 'full-machine',
      severity: 'warn',
      title: `The machine was full (${hostCores.toFixed(1)} of ${cpus} cores): ${who}.`,
      detail:
        'Latency and throughput of this run are those of a crowded machine. CPU time per request still holds; what the API could do alone does not follow from it.',
      evidence: [
        { label: 'gunicorn workers', value: `${workerCores.toFixed(2)} cores` },
        { label: 'load generator', value: `${generatorCores.toFixed(2)} cores` },
        ...(pySpyCores ? [{ label: 'py-spy', value: `${pySpyCores.toFixed(2)} cores` }] : []),
        { label: 'everything else', value: `${others.toFixed(2)} cores` },
      ],
      advice: isOthers
        ? 'End what else is at work here and measure again.'
        : 'Lower ARRIVAL_RATE, or run the API on another machine.',
      link: 'quality',
    },
  ];
}
