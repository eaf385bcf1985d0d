/** The API of these checks, in pods: it says what it is asked to say, and can be made to fail. */
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const SERVER = fileURLToPath(new URL('server-in-pod.mjs', import.meta.url));
const NODE = path.dirname(process.execPath);

/**
 * @param {string} name of the deployment, and of the label `app`
 * @param {number} replicas
 */
export function describeApi(name, replicas) {
  const folders = { usr: '/usr', node: NODE, server: path.dirname(SERVER) };
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
          command: [${process.execPath}, ${SERVER}]
          readinessProbe: {httpGet: {path: /ready, port: 8080}, periodSeconds: 1}
          livenessProbe: {httpGet: {path: /alive, port: 8080}, periodSeconds: 1, failureThreshold: 2}
          resources: {requests: {cpu: 10m, memory: 64Mi}, limits: {cpu: 500m, memory: 160Mi}}
          volumeMounts: [${mounts.join(', ')}]
      volumes: [${volumes.join(', ')}]
---
apiVersion: v1
kind: Service
metadata: {name: ${name}}
spec: {selector: {app: ${name}}, ports: [{port: 80, targetPort: 8080}], sessionAffinity: ClientIP}
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
