/** A run that was never made: its verdict and findings, from the figures that decide them. */
import { findBottleneck } from '../../lib/analysis/bottleneck/find-bottleneck.js';
import { estimateWhatIf } from '../../lib/analysis/bottleneck/what-if.js';
import { gatherRunFacts } from '../../lib/analysis/judge/bottleneck/gather-run.js';
import { collectFindings } from '../../lib/analysis/judge/findings/index.js';
import { judge } from '../../lib/analysis/judge/verdict/judge.js';
import { rankFindings } from '../../lib/analysis/judge/verdict/trust.js';
import { sumUpFailures } from '../../lib/analysis/load/failures.js';

export const CAUSE = {
  id: 'x',
  title: 'TLS context per request',
  category: 'auth',
  evidence: [],
  severity: 'bad',
  share: { value: 0.5, low: 0.45, high: 0.55 },
  cpuMsPerRequest: { value: 5, low: null, high: null },
};

/**
 * @param {{cores: number[], hostCores?: number, failed?: number, causes?: any[], calls?: any, sign?: any, models?: string[], http?: any, websocket?: any, socketio?: any, skipped?: number, mediansMs?: number[]}} facts
 */
export function judgeFigures({
  cores,
  hostCores = 1,
  failed = 0,
  causes = [CAUSE],
  calls = null,
  sign,
  models = [],
  http,
  websocket = null,
  socketio = null,
  skipped = 0,
  mediansMs = [5, 5, 5, 5, 5],
}) {
  const requests = 1000;
  const measured = /** @type {any} */ ({
    run: { status: 'complete', reasons: [], host: { cpus: 4 }, settings: [] },
    load: {
      http: {
        requests,
        responses: requests,
        meanRatePerSec: 10,
        errorRate: failed / requests,
        codes: [
          { code: '200', count: requests - failed },
          { code: '500', count: failed },
        ],
        timeToFirstByte: null,
        connections: { dns: null, tcp: null, tls: null },
        ...http,
      },
      users: { created: 10, completed: 10, failed: 0, skipped, byScenario: [] },
      endpoints: [],
      socketio,
      websocket,
      errors: [],
      phases: models.map(model => ({ model, startMs: 0, endMs: null })),
      seconds: mediansMs.map((p50Ms, second) => {
        const usersActive = [1, 3, 3, 3][second] ?? null;
        const startMs = 1000 * second;
        return { startMs, usersActive, requests: 300, inFlight: usersActive, p50Ms };
      }),
      resolutionMs: 1000,
      errorBursts: [],
      window: { startMs: 0, endMs: 5000 },
      windows: [{ startMs: 0, endMs: 5000 }],
      tokens: null,
      counters: {},
      generator: { signs: sign ? [sign] : [], lag: null, workers: [] },
    },
    calls,
    cpu: {
      workers: cores.map(n => ({ cores: n, livedShare: 1 })),
      ...{ workerRestarts: 0, hostCores, basis: 'process-cpu' },
      perRequest: { value: 10, low: null, high: null },
    },
    profile: {
      hotPaths: [],
      categories: [],
      workerRestarts: 0,
      causes,
      causesTogether: null,
      waits: null,
      samples: { active: 1000 },
    },
  });
  measured.load.failures = sumUpFailures(measured.load);
  const bottleneck = findBottleneck(gatherRunFacts(measured));
  const known = { ...measured, bottleneck, whatIf: estimateWhatIf({ ...measured, bottleneck }) };
  const findings = rankFindings(collectFindings(known));
  return { verdict: judge({ ...known, findings }), findings };
}

/** A generator that was busy. */
export const BUSY = {
  id: 'busy',
  isLimit: true,
  worker: 1,
  seconds: 34,
  ofSeconds: 58,
  utilization: 0.97,
  cores: 0.97,
};
