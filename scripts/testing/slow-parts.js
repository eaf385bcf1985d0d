/** The parts of the slow lane: slow tests that go further than the fast lane. */

/**
 * @typedef {object} Part
 * @property {string} name
 * @property {string} about
 * @property {string} files a glob of checks
 * @property {number} minutes on two quiet cores
 * @property {string} [before] a script that prepares it; if it fails, the part does not run
 * @property {string} [needs] beside Node and Python; without it, the part fails or is skipped
 * @property {boolean} [always] runs in each turn (`partsOf`)
 * @property {boolean} [byHand] runs only if it is named, as in .ci/run
 */

const LAB =
  'root, and programs and Go 1.24, which a skipped part names; without them, or where its cluster does not start, it is skipped. Kubernetes is built once, in 5 to 15 minutes';

/** The most important first. @type {Part[]} */
export const PARTS = [
  {
    name: 'package',
    about:
      '`npm start` in a bare clone; the npm package, installed and used; the companion as a wheel',
    files: 'test/cli/{clone,package,companion}.check.js',
    minutes: 4,
    always: true,
    needs: 'registries of npm and Python packages',
  },
  {
    name: 'image',
    about: 'the Containerfile’s image, read-only and as any user: a load, a worker of a cluster',
    files: 'test/image/*.check.js',
    minutes: 1,
    needs: 'Linux, root, buildah, and a registry of npm packages',
  },
  {
    name: 'gate',
    about: 'the GitHub action and the GitLab template on a repository with a slow change',
    files: 'test/ci/*.check.js',
    minutes: 4,
    always: true,
    needs: 'registries of npm and Python packages',
  },
  {
    name: 'scenarios',
    about: 'csr scenarios against the demo under both engines; what Artillery sends and leaves',
    files: 'test/{scenarios/*,load/artillery,load/artillery-sends}.check.js',
    minutes: 3,
    always: true,
  },
  {
    name: 'traffic',
    about: 'a session of Chromium, and access logs, made into scenarios and sent again',
    files: 'test/load/traffic/*.check.js',
    minutes: 2,
    needs: 'Chromium, nginx',
  },
  {
    name: 'kills',
    about: 'kill -9, Ctrl+C, a reload and a full disk at the worst moments',
    files:
      'test/{cli,experiment/study/run}/*{killed,terminals,interrupted,failures,full-disk,server-ended}.check.js',
    minutes: 3,
  },
  {
    name: 'cluster-load',
    about: 'a load from pods of a real Kubernetes; workers that are killed, evicted or get no node',
    before: 'test/cluster/lab/build.js',
    files: 'test/cluster/{image,running,workers}.check.js',
    minutes: 7,
    needs: LAB,
    byHand: true,
  },
  {
    name: 'whole',
    about: 'errors with their tracebacks, two million samples, imports that the check forbids',
    files: 'test/{analysis/profile/large-profile,cli/logs,scripts/check-layers}.check.js',
    minutes: 1,
    always: true,
  },
  {
    name: 'machines',
    about: 'a load and a recording by clocks that differ, as one run; one without stacks',
    files: 'test/cli/{two-machines,no-stacks,events}.check.js',
    minutes: 2,
    always: true,
  },
  {
    name: 'secrets',
    about: 'thirty kinds of secrets in ten places, for real; 20,000 generated ones; templates',
    files:
      'test/{base/files/redaction,cli/{planted,named}-secrets,load/{learned-secrets,artillery-redirects,engine/flow/template}}.check.js',
    minutes: 2,
    always: true,
  },
  {
    name: 'studies',
    about:
      'a whole study; one of an API behind a login; a slow load generator; tasks; passwords of servers',
    files: 'test/{experiment/study/{study,own-api,generator-limit,services/*},demo/tasks}.check.js',
    minutes: 2,
    needs: 'nginx, Redis, PostgreSQL',
  },
  {
    name: 'cluster-pods',
    about: 'what a real Kubernetes says of pods: restarts, logs, CPU, rights, balance, scaling',
    before: 'test/cluster/lab/build.js',
    files: 'test/cluster/{balance,looking,scale,secrets}.check.js',
    minutes: 5,
    needs: LAB,
    byHand: true,
  },
  {
    name: 'cluster-profiles',
    about: 'profiles from pods of a real Kubernetes, without root and without a shell',
    before: 'test/cluster/lab/build.js',
    files: 'test/cluster/profiling.check.js',
    minutes: 5,
    needs: LAB,
    byHand: true,
  },
  {
    name: 'try',
    about: 'two versions of an API, a failing side, a remedy, Ctrl+C, a resumed try; error rate',
    files: 'test/experiment/{strategies,try}/*.check.js',
    minutes: 6,
  },
  {
    name: 'find',
    about: 'the highest rate of simulated queues, and of a real one with a known p95',
    files: 'test/experiment/find/*.check.js',
    minutes: 5,
  },
  {
    name: 'limits',
    about: 'the bottleneck that the report names for the demo in six set-ups',
    files: 'test/limits/limits.check.js',
    minutes: 3,
    needs: 'haproxy',
  },
  {
    name: 'endpoints',
    about: 'five endpoints against a clock of their own, beside a burner too',
    files: 'test/limits/endpoints.check.js',
    minutes: 3,
  },
  {
    name: 'foreign',
    about: 'CPU of each endpoint of an API from a package registry; apps that replay public fixes',
    files: 'test/{limits/foreign-api,research/replay/cases}.check.js',
    minutes: 8,
  },
  {
    name: 'servers',
    about: 'uvicorn, Flask and task workers from the load to the report; PostgreSQL; remedies',
    files:
      'test/{cli/servers,cli/task-workers,analysis/profile/{native-threads,wrappers},companion/{*,serve/*},report/page/*,record/{explain,profiler,target}/*}.check.js',
    minutes: 8,
    needs: 'uvicorn, fastapi, celery, rq, dramatiq (.ci/run installs them), Redis and PostgreSQL',
  },
  {
    name: 'conformance',
    about: 'all conformance scripts under our engine, compared with what Artillery did',
    files: 'test/conformance/conformance.check.js',
    minutes: 7,
  },
  {
    name: 'fuzz',
    about:
      '500 mutated folders and profiles: a report or a named error; 1 MB of text for each parser',
    files: 'test/fuzz/*.check.js',
    minutes: 5,
  },
  {
    name: 'calls',
    about: 'how often a comparison or a history calls chance a change, over many seeds',
    files: 'test/experiment/{compare,history}/*.check.js',
    minutes: 2,
  },
  {
    name: 'demo',
    about: 'the demo API and its identity provider: logins, routes, data, servers',
    files: 'test/demo/{servers,api-auth,provider,content}.check.js',
    minutes: 2,
  },
  {
    name: 'canaries',
    about: 'some tests with the newest releases of our dependencies; failures are only reported',
    files: 'test/canaries/*.check.js',
    minutes: 3,
    needs: 'registries of npm and Python packages',
  },
  {
    name: 'soak',
    about: 'some minutes of constant load: nothing is lost, and memory does not grow',
    files: 'test/bench/*.check.js',
    minutes: 4,
    needs: 'Chromium',
  },
  {
    name: 'models',
    about: 'models of studies against simulated targets, over many seeds',
    files: 'test/experiment/study/analysis/truth.check.js',
    minutes: 6,
  },
  {
    name: 'artillery',
    about: 'all conformance scripts under Artillery itself, compared with what was recorded of it',
    files: 'test/conformance/artillery.check.js',
    minutes: 16,
  },
  {
    name: 'keycloak',
    about: 'tokens of a real Keycloak that live for a minute',
    files: 'test/keycloak/*.check.js',
    minutes: 8,
    needs: 'java and mvn, and the repository of Maven',
    byHand: true,
  },
];

/** In one of so many turns .ci/run has the parts with a cluster; the others have those that rotate. */
export const TURNS = 5;

/**
 * The parts of a turn of a build server: those that only this turn has, then those of each turn, if they fit.
 * Five turns in a row have all.
 * @param {number} turn @returns {Part[]}
 */
export function partsOf(turn) {
  /** @type {Part[][]} */
  const turns = Array.from({ length: TURNS - 1 }, () => []);
  const longestFirst = PARTS.toSorted((a, b) => b.minutes - a.minutes);
  for (const part of longestFirst.filter(one => !one.always && !one.byHand))
    turns.toSorted((a, b) => minutesOf(a) - minutesOf(b))[0]?.push(part);
  return [...(turns[(turn % TURNS) - 1] ?? []), ...PARTS.filter(part => part.always)];
}

/** @param {Part[]} parts */
export function minutesOf(parts) {
  return parts.reduce((sum, part) => sum + part.minutes, 0);
}
