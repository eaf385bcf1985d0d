/** A Flask application under gunicorn in a pod, with the rights that OpenShift's restricted-v2 leaves it. */
import { realpathSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../..');
const VENV = path.join(ROOT, '.venv');
/** The interpreter, with its library: three folders above `bin/python3.11`'s own name. */
const PYTHON = path.resolve(realpathSync(path.join(VENV, 'bin/python')), '../..');

/**
 * @param {string} name of the deployment, and of the label `app`
 * @param {number} replicas
 * @param {{cpu?: string, hasPySpy?: boolean}} [options] `cpu`: its limit
 */
export function describePython(name, replicas, { cpu = '1', hasPySpy = true } = {}) {
  const folders = ['/usr', PYTHON, VENV, path.join(ROOT, 'test/fixtures')];
  const mounts = folders.map((place, at) => `{name: v${at}, mountPath: ${place}, readOnly: true}`);
  const volumes = folders.map((place, at) => `{name: v${at}, hostPath: {path: ${place}}}`);
  if (!hasPySpy) {
    mounts.push(`{name: nothing, mountPath: ${VENV}/bin/py-spy, readOnly: true}`);
    volumes.push('{name: nothing, hostPath: {path: /dev/null}}');
  }
  const command = [
    ...[`${VENV}/bin/gunicorn`, '--chdir', `${ROOT}/test/fixtures`, '--bind', '0.0.0.0:8080'],
    ...['--workers', '2', '--worker-tmp-dir', '/dev/shm', 'flask_app:app'],
  ];
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
          command: ${JSON.stringify(command)}
          env: [{name: PYTHONDONTWRITEBYTECODE, value: "1"}]
          readinessProbe: {httpGet: {path: /, port: 8080}, periodSeconds: 1}
          securityContext:
            runAsUser: 1000660000
            runAsGroup: 0
            runAsNonRoot: true
            allowPrivilegeEscalation: false
            capabilities: {drop: [ALL]}
            seccompProfile: {type: RuntimeDefault}
          resources: {requests: {cpu: 10m, memory: 64Mi}, limits: {cpu: ${cpu}, memory: 300Mi}}
          volumeMounts: [${mounts.join(', ')}]
      volumes: [${volumes.join(', ')}]
`;
}
