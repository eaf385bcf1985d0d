import { formatNumberOf } from '../../format.js';

/** What gunicorn's log says of the end of a worker, and what to do about it. @type {readonly {says: RegExp, why: string, advice: string}[]} */
const REASONS = [
  {
    says: /WORKER TIMEOUT/,
    why: 'it did not answer its master within --timeout',
    advice:
      'Find what takes so long: a request of a sync worker may last --timeout (30 s) at most; threads (gthread) keep the worker answering meanwhile.',
  },
  {
    says: /out of memory|SIGKILL/i,
    why: 'it was killed, perhaps for its memory',
    advice: "Look at the memory of the workers over time, and at the container's limit.",
  },
  {
    says: /Maximum request limit|Autorestarting worker/i,
    why: '--max-requests ends workers on purpose',
    advice:
      'Give --max-requests a jitter, so that workers do not end at the same time, or leave it out here.',
  },
];

/** Workers that came or went while they were measured. @type {import('./index.js').FindingRule} */
export function findWorkerRestarts({ load, profile, logs }) {
  if (!profile || profile.workerRestarts === 0) return [];
  const n = profile.workerRestarts;
  const lines = [
    ...(logs?.workers ?? []).map(({ text }) => text),
    ...(load?.errorBursts?.flatMap(({ log }) => log.lines.map(({ text }) => text)) ?? []),
  ];
  const found = REASONS.flatMap(reason => {
    const line = lines.find(text => reason.says.test(text));
    return line ? [{ ...reason, line }] : [];
  })[0];
  return [
    {
      id: 'worker-restarts',
      severity: 'warn',
      title: `${formatNumberOf(n, 'gunicorn worker was', 'gunicorn workers were')} restarted during the recording${found ? `: ${found.why}` : ''}.`,
      detail:
        'A new worker imports the application and warms its caches again; requests that were in the old one may have failed.',
      evidence: [
        ...(found ? [{ label: "the API's log", value: found.line.slice(0, 200) }] : []),
        ...profile.workers
          .filter(({ startedInRun, endedInRun }) => startedInRun || endedInRun)
          .map(({ pid, startedInRun, endedInRun }) => ({
            label: `worker ${pid}`,
            value: [startedInRun && 'started', endedInRun && 'ended'].filter(Boolean).join(' and '),
          })),
      ],
      advice:
        found?.advice ??
        "Look into gunicorn's log for WORKER TIMEOUT, for a signal (memory), or for --max-requests, which does it on purpose.",
      link: 'quality',
    },
  ];
}
