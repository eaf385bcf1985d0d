/** Workers that came or went while they were measured. @type {import('./index.js').FindingRule} */
export function findWorkerRestarts({ profile }) {
  if (!profile || profile.workerRestarts === 0) return [];
  const n = profile.workerRestarts;
  return [
    {
      id: 'worker-restarts',
      severity: 'warn',
      title: `${n} gunicorn ${n === 1 ? 'worker was' : 'workers were'} restarted during the recording.`,
      detail:
        'A new worker imports the application and warms its caches again; requests that were in the old one may have failed.',
      evidence: profile.workers
        .filter(({ startedInRun, endedInRun }) => startedInRun || endedInRun)
        .map(({ pid, startedInRun, endedInRun }) => ({
          label: `worker ${pid}`,
          value: [startedInRun && 'started', endedInRun && 'ended'].filter(Boolean).join(' and '),
        })),
      advice:
        "Look into gunicorn's log for WORKER TIMEOUT, for a signal (memory), or for --max-requests, which does it on purpose.",
      link: 'quality',
    },
  ];
}
