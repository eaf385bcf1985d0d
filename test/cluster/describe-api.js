/** The APIs of these checks, in pods: they say what they are asked to say, and can be made to fail. */
import { readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The one that the lab has. */
export const IMAGE = 'localhost/loadflame/lab:1';
const SERVER = fileURLToPath(new URL('server-in-pod.mjs', import.meta.url));
const GUIDE = new URL('../../docs/openshift.md', import.meta.url);
const NODE = path.dirname(process.execPath);
const ROOT = path.resolve(import.meta.dirname, '../..');
/** Its programs name their interpreter by the path of the checkout in which it was made. */
const VENV = realpathSync(path.join(ROOT, '.venv'));
/** The interpreter, with its library: three folders above `bin/python3.11`'s own name. */
const OWN_PYTHON = path.resolve(realpathSync(path.join(VENV, 'bin', 'python')), '../..');
const PYTHON = { venv: VENV, ...(OWN_PYTHON !== '/usr' && { python: OWN_PYTHON }) };
/** An image without a shell, and the folders that Python needs there; Debian's own Python is one file of /usr/bin. */
const BARE = 'localhost/loadflame/bare:1';
const LIBRARIES = {
  ...{ lib: '/usr/lib', lib64: '/usr/lib64' },
  ...(OWN_PYTHON === '/usr' && { python: realpathSync(path.join(VENV, 'bin', 'python')) }),
};
const RESTRICTED = JSON.stringify({
  ...{ runAsUser: 1000660000, runAsGroup: 0, runAsNonRoot: true },
  ...{ allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
  seccompProfile: { type: 'RuntimeDefault' },
});

/**
 * @param {string} name of the deployment, and of the label `app`
 * @param {number} replicas
 * @param {Pick<PodOptions, 'alive'>} [options]
 */
export function describeApi(name, replicas, options) {
  return describePods(name, replicas, {
    command: [process.execPath, SERVER],
    folders: { node: NODE, server: path.dirname(SERVER) },
    ...options,
  });
}

/** `LOADFLAME` of the APIs and of their loads: no pod is on the machine of its clients. */
export const COMPANION_KEY = 'companion-of-the-lab';

/** Flask under gunicorn, of the project's own Python, with the companion. @param {string} name @param {number} replicas @param {PodOptions['kind']} [kind] */
export function describeFlask(name, replicas, kind) {
  const companion = path.join(ROOT, 'companion');
  const server = path.dirname(SERVER);
  const options = ['--workers=1', '--threads=4', '--bind=0.0.0.0:8080', `--chdir=${server}`];
  return describePods(name, replicas, {
    command: [
      path.join(VENV, 'bin', 'gunicorn'),
      ...['--config', path.join(companion, 'loadflame_companion.py')],
      ...[...options, '--access-logfile=-', 'flask_in_pod:app'],
    ],
    folders: { ...PYTHON, companion, server },
    kind,
    env: { LOADFLAME: COMPANION_KEY, PYTHONDONTWRITEBYTECODE: '1' },
  });
}

/**
 * Flask under gunicorn, with the rights that OpenShift's restricted-v2 leaves it.
 * @param {string} name
 * @param {number} replicas
 * @param {{cpu?: string, hasPySpy?: boolean, isShut?: boolean, hasCompanion?: boolean, isBare?: boolean, isRestricted?: boolean, kind?: PodOptions['kind']}} [options]
 *   `cpu`: its limit; `isShut`: its processes let nobody without SYS_PTRACE look into them; `isBare`: the container has
 *   no program but Python; without `isRestricted` its user is that of the image
 */
export function describePython(name, replicas, options = {}) {
  const { cpu = '1', hasPySpy = true, isShut = false, hasCompanion = false, kind } = options;
  const { isBare = false, isRestricted = true } = options;
  const [fixtures, companion] = [path.join(ROOT, 'test/fixtures'), path.join(ROOT, 'companion')];
  return describePods(name, replicas, {
    command: [
      ...[path.join(VENV, 'bin', 'python'), '-m', 'gunicorn', '--chdir', fixtures],
      ...['--bind=0.0.0.0:8080', '--workers=2', '--worker-tmp-dir=/dev/shm', 'flask_app:app'],
      ...(isShut ? ['--config', path.join(fixtures, 'undumpable_conf.py')] : []),
      ...(hasCompanion ? ['--config', path.join(companion, 'loadflame_companion.py')] : []),
    ],
    folders: { ...PYTHON, fixtures, companion },
    ...(isBare && { image: BARE, base: LIBRARIES }),
    env: { PYTHONDONTWRITEBYTECODE: '1', LOADFLAME: hasCompanion ? COMPANION_KEY : '0' },
    hidden: hasPySpy ? [] : [path.join(VENV, 'bin', 'py-spy')],
    limits: `{cpu: ${cpu}, memory: 300Mi}`,
    ready: '/',
    alive: null,
    isRestricted,
    kind,
  });
}

/**
 * @typedef {object} PodOptions
 * @property {string[]} command
 * @property {Record<string, string>} folders of the machine that it needs beside those of `base`
 * @property {string} [image]
 * @property {Record<string, string>} [base] those that its image links into
 * @property {Record<string, string>} [env]
 * @property {string[]} [hidden] files of those folders that are empty there
 * @property {string} [limits]
 * @property {string} [ready] the path that says so
 * @property {string | null} [alive] the same; null: nobody asks
 * @property {boolean} [isRestricted] a random user without a right
 * @property {'Deployment' | 'StatefulSet'} [kind]
 */

/** @param {string} name @param {number} replicas @param {PodOptions} options */
function describePods(name, replicas, options) {
  const { command, env = {}, hidden = [], isRestricted = false, kind = 'Deployment' } = options;
  const { image = IMAGE, base = { usr: '/usr' } } = options;
  const { limits = '{cpu: 500m, memory: 160Mi}', ready = '/ready', alive = '/alive' } = options;
  // A busy machine responds late, which is no reason to restart a pod.
  const probe = (/** @type {string} */ at) =>
    `httpGet: {path: ${at}, port: 8080}, periodSeconds: 1, timeoutSeconds: 10`;
  const places = [
    ...Object.values({ ...base, ...options.folders }).map(at => ({ at, from: at })),
    ...hidden.map(at => ({ at, from: '/dev/null' })),
  ];
  const mounts = places.map(({ at }, n) => `{name: v${n}, mountPath: ${at}, readOnly: true}`);
  const volumes = places.map(({ from }, n) => `{name: v${n}, hostPath: {path: ${from}}}`);
  const variables = Object.entries(env).map(([key, value]) => `{name: ${key}, value: "${value}"}`);
  return `
apiVersion: apps/v1
kind: ${kind}
metadata: {name: ${name}}
spec:
  ${kind === 'StatefulSet' ? `serviceName: ${name}` : ''}
  replicas: ${replicas}
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec:
      terminationGracePeriodSeconds: 1
      containers:
        - name: web
          image: ${image}
          imagePullPolicy: Never
          command: [${command.join(', ')}]
          env: [${variables.join(', ')}]
          ports: [{name: http, containerPort: 8080}]
          readinessProbe: {${probe(ready)}}
          livenessProbe: ${alive && `{${probe(alive)}, failureThreshold: 2}`}
          securityContext: ${isRestricted ? RESTRICTED : '{}'}
          resources: {requests: {cpu: 10m, memory: 64Mi}, limits: ${limits}}
          volumeMounts: [${mounts.join(', ')}]
      volumes: [${volumes.join(', ')}]
---
apiVersion: v1
kind: Service
metadata: {name: ${name}}
spec: {selector: {app: ${name}}, ports: [{name: web, port: 80, targetPort: http}], sessionAffinity: ClientIP}
`;
}

/** What stands in for the image of workers: the machine's own programs and this checkout, and a user as OpenShift gives one. */
export function describeWorker() {
  // In a git worktree they may be those of another checkout.
  const packages = realpathSync(path.join(ROOT, 'node_modules'));
  const folders = Object.entries({ usr: '/usr', node: NODE, project: ROOT, packages });
  return {
    securityContext: { runAsUser: 1_000_660_000, runAsGroup: 0 },
    containers: [
      {
        name: 'worker',
        imagePullPolicy: 'Never',
        command: [process.execPath, path.join(ROOT, 'bin/loadflame.js')],
        volumeMounts: folders.map(([name, mountPath]) => ({ name, mountPath, readOnly: true })),
      },
    ],
    volumes: folders.map(([name, place]) => ({ name, hostPath: { path: place } })),
  };
}

/** OpenShift's kind of object, without its router: enough to be listed. */
export const ROUTES = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: routes.route.openshift.io}
spec:
  group: route.openshift.io
  scope: Namespaced
  names: {kind: Route, plural: routes, singular: route}
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`;

/** A Role as the guide has it. @param {string} name @returns {string} */
export function readRole(name) {
  const blocks = readFileSync(GUIDE, 'utf8').matchAll(/```yaml\n(apiVersion[\s\S]*?)```/g);
  const all = [...blocks].map(([, text = '']) => text);
  return all.find(text => text.includes(`name: ${name}\n`)) ?? '';
}

/** @param {string} name @param {string[]} roles @param {string} [namespace] */
export function describeAccount(name, roles, namespace = 'shop') {
  const bindings = roles.map(
    role => `---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: ${name}-${role}}
subjects: [{kind: ServiceAccount, name: ${name}, namespace: ${namespace}}]
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: ${role}}
`,
  );
  return `{apiVersion: v1, kind: ServiceAccount, metadata: {name: ${name}}}\n${bindings.join('')}`;
}
