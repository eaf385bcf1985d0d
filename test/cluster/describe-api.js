/** The APIs of these checks, in pods: they say what they are asked to say, and can be made to fail. */
import { readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const SERVER = fileURLToPath(new URL('server-in-pod.mjs', import.meta.url));
const GUIDE = new URL('../../docs/openshift.md', import.meta.url);
const NODE = path.dirname(process.execPath);
const ROOT = path.resolve(import.meta.dirname, '../..');

/** @param {string} name of the deployment, and of the label `app` @param {number} replicas */
export function describeApi(name, replicas) {
  return describePods(name, replicas, {
    command: [process.execPath, SERVER],
    folders: { node: NODE, server: path.dirname(SERVER) },
  });
}

/** Flask under gunicorn, of the project's own Python, with the companion. @param {string} name @param {number} replicas */
export function describeFlask(name, replicas) {
  const venv = path.join(ROOT, '.venv');
  const companion = path.join(ROOT, 'companion');
  const server = path.dirname(SERVER);
  const options = ['--workers=1', '--threads=4', '--bind=0.0.0.0:8080', `--chdir=${server}`];
  const python = path.resolve(realpathSync(path.join(venv, 'bin', 'python')), '../..');
  return describePods(name, replicas, {
    command: [
      path.join(venv, 'bin', 'gunicorn'),
      ...['--config', path.join(companion, 'loadflame_companion.py')],
      ...[...options, '--access-logfile=-', 'flask_in_pod:app'],
    ],
    folders: { venv, companion, server, ...(python !== '/usr' && { python }) },
    env: { LOADFLAME: '1', PYTHONDONTWRITEBYTECODE: '1' },
  });
}

/**
 * @param {string} name
 * @param {number} replicas
 * @param {{command: string[], folders: Record<string, string>, env?: Record<string, string>}} api `folders` of the
 *   machine that it needs beside /usr
 */
function describePods(name, replicas, { command, folders: own, env = {} }) {
  const folders = { usr: '/usr', ...own };
  const variables = Object.entries(env).map(([key, value]) => `{name: ${key}, value: "${value}"}`);
  const mounts = Object.entries(folders).map(
    ([key, place]) => `{name: ${key}, mountPath: ${place}, readOnly: true}`,
  );
  const volumes = Object.entries(folders).map(
    ([key, place]) => `{name: ${key}, hostPath: {path: ${place}}}`,
  );
  return `
apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec:
      terminationGracePeriodSeconds: 1
      containers:
        - name: web
          image: localhost/loadflame/lab:1
          imagePullPolicy: Never
          command: [${command.join(', ')}]
          env: [${variables.join(', ')}]
          ports: [{name: http, containerPort: 8080}]
          readinessProbe: {httpGet: {path: /ready, port: 8080}, periodSeconds: 1}
          livenessProbe: {httpGet: {path: /alive, port: 8080}, periodSeconds: 1, failureThreshold: 2}
          resources: {requests: {cpu: 10m, memory: 64Mi}, limits: {cpu: 500m, memory: 160Mi}}
          volumeMounts: [${mounts.join(', ')}]
      volumes: [${volumes.join(', ')}]
---
apiVersion: v1
kind: Service
metadata: {name: ${name}}
spec: {selector: {app: ${name}}, ports: [{name: web, port: 80, targetPort: http}], sessionAffinity: ClientIP}
`;
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
