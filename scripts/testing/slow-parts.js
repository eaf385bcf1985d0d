/** The parts of the slow lane: slow tests that go further than the fast lane. */

/**
 * @typedef {object} Part
 * @property {string} name
 * @property {string} about
 * @property {string} files a glob of checks
 * @property {number} minutes on two quiet cores
 * @property {string} [before] a script that prepares it; if it fails, the part does not run
 * @property {string} [needs] beside Node and Python; without it, the part fails or is skipped
 * @property {boolean} [byHand] runs only if it is named, as in .ci/run
 */

const LAB =
  'root, and programs and Go 1.24, which a skipped part names; without them, or where its cluster does not start, it is skipped. Kubernetes is built once, in 5 to 15 minutes';

/** The most important first: a build server runs those that fit into its time. @type {Part[]} */
export const PARTS = [
  {
    name: 'package',
    about:
      '`npm start` in a bare clone; the npm package, installed in a folder of its own: init, test, study, compare, report; the companion as a wheel under each Python',
    files: 'test/cli/{clone,package,companion}.check.js',
    minutes: 4,
    needs: 'registries of npm and Python packages',
  },
  {
    name: 'image',
    about:
      'the image of the Containerfile, with a read-only root and as any user: a load, and a worker of a cluster',
    files: 'test/image/*.check.js',
    minutes: 1,
    needs: 'Linux, root, buildah, and a registry of npm packages',
  },
  {
    name: 'gate',
    about:
      'the steps of the GitHub action and the GitLab template on a repository with a slow change, from install to comment',
    files: 'test/ci/*.check.js',
    minutes: 5,
    needs: 'registries of npm and Python packages',
  },
  {
    name: 'scenarios',
    about:
      'the csr scenarios against the demo under both engines, and where it sends no event; what Artillery leaves',
    files: 'test/{scenarios/*,record/load/artillery}.check.js',
    minutes: 3,
  },
  {
    name: 'traffic',
    about:
      'a session of Chromium, and logs of gunicorn and nginx, made into scenarios and sent again; a log of 100,000 lines with a known mix and curve',
    files: 'test/traffic/*.check.js',
    minutes: 3,
    needs: 'Chromium, nginx',
  },
  {
    name: 'kills',
    about:
      'kill -9, Ctrl+C, a reload and a full disk at the worst moments of loads, recordings and studies',
    files:
      'test/{cli,study/run}/*{killed,terminals,interrupted,failures,full-disk,server-ended}.check.js',
    minutes: 4,
  },
  {
    name: 'cluster-load',
    about:
      'a load from pods of a real Kubernetes: the image, logins, missing rights, workers that are killed, evicted or get no node',
    before: 'test/cluster/lab/build.js',
    files: 'test/cluster/{image,running,workers}.check.js',
    minutes: 7,
    needs: LAB,
    byHand: true,
  },
  {
    name: 'whole',
    about: 'errors with their tracebacks, two million samples, imports that the check forbids',
    files: 'test/{analysis/large-profile,cli/logs,scripts/check-layers}.check.js',
    minutes: 1,
  },
  {
    name: 'machines',
    about:
      'a load and a recording by clocks that differ by 37.4 s, as one run; a recording without stacks',
    files: 'test/cli/{two-machines,no-stacks,events}.check.js',
    minutes: 3,
  },
  {
    name: 'secrets',
    about:
      'thirty kinds of secrets in ten places, everything run for real: none may remain; 20,000 generated ones; 10,000 values that could be templates',
    files:
      'test/{files/redaction,cli/{planted,named}-secrets,record/load/{learned-secrets,artillery-redirects,engine/flow/template}}.check.js',
    minutes: 3,
  },
  {
    name: 'studies',
    about:
      'a whole study, stopped and resumed; one of an API behind a login; the load generator as the bottleneck; the tasks of the demo',
    files: 'test/{study/{study,own-api,generator-limit},demo/tasks}.check.js',
    minutes: 3,
    needs: 'nginx, Redis',
  },
  {
    name: 'cluster-pods',
    about:
      'what a real Kubernetes says of pods: restarts, logs, CPU, missing rights, balance, scaling; secrets of a load from inside',
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
    about:
      'two versions of an API, a side that fails, a remedy and its refusals, Ctrl+C at any moment, and a try that resumes',
    files: 'test/try/*.check.js',
    minutes: 8,
  },
  {
    name: 'find',
    about: 'the highest rate of simulated queues, and of a real one with a known p95',
    files: 'test/find/*.check.js',
    minutes: 9,
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
    about:
      'five endpoints against a clock of their own, beside a burner too, and compared with themselves',
    files: 'test/limits/endpoints.check.js',
    minutes: 3,
  },
  {
    name: 'foreign',
    about: 'CPU of each endpoint of an API from a package registry, with the companion and without',
    files: 'test/limits/foreign-api.check.js',
    minutes: 5,
  },
  {
    name: 'servers',
    about:
      'uvicorn and Flask from the load to the report, workers of Celery, RQ and dramatiq beside it; FastAPI with PostgreSQL against schedstat; remedies under gunicorn',
    files:
      'test/{cli/servers,cli/task-workers,analysis/native-threads,companion/*,report/page/*,record/{explain,profiler}/*}.check.js',
    minutes: 7,
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
      '500 mutations of run and study folders and of profiles: a report or a named error; 1 MB of suspicious text for each parser',
    files: 'test/fuzz/*.check.js',
    minutes: 8,
  },
  {
    name: 'calls',
    about: 'how often a comparison or a history calls chance a change, over many seeds',
    files: 'test/many/{compare,history}/*.check.js',
    minutes: 3,
  },
  {
    name: 'canaries',
    about: 'some tests with the newest Artillery, gunicorn and py-spy; failures are only reported',
    files: 'test/canaries/*.check.js',
    minutes: 2,
    needs: 'registries of npm and Python packages',
  },
  {
    name: 'soak',
    about: 'some minutes of constant load: nothing is lost, and memory does not grow',
    files: 'test/bench/soak.check.js',
    minutes: 4,
  },
  {
    name: 'models',
    about: 'models of studies against simulated targets, over many seeds',
    files: 'test/many/study/truth.check.js',
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
