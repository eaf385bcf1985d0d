/** The requests to a cluster, and the right that each needs: docs/openshift.md has them as a Role. */

/** @import { Config } from '../config/read-config.js' */

/**
 * A request, in the terms of a Role.
 * @typedef {object} Asked
 * @property {string} verb `get`
 * @property {string} resource `pods`
 * @property {string} group '' is the core group, of pods and services
 * @property {string} [version]
 * @property {string} [name] of the one to get
 * @property {string} [subresource] `log`
 */

/** Over a WebSocket the API server checks for `get`, and from Kubernetes 1.35 on also for `create`. */
export const EXEC = { verb: 'create and get', resource: 'pods', group: '', subresource: 'exec' };
export const ATTACH = { ...EXEC, subresource: 'attach' };

/** @satisfies {Record<string, Asked>} */
export const ASKED = {
  pods: { verb: 'list', resource: 'pods', group: '' },
  logs: { verb: 'get', resource: 'pods', group: '', subresource: 'log' },
  usage: { verb: 'list', resource: 'pods', group: 'metrics.k8s.io', version: 'v1beta1' },
  throttling: EXEC,
  events: { verb: 'list', resource: 'events', group: '' },
  replicas: { verb: 'get', resource: 'deployments', group: 'apps' },
  services: { verb: 'list', resource: 'services', group: '' },
};

/** @typedef {keyof typeof ASKED} Part */

/** If no setting names pods, no cluster is contacted. @param {Config} config */
export function isClusterNamed(config) {
  return Boolean(config.get('KUBE_WORKLOAD') || config.get('KUBE_SELECTOR'));
}

/**
 * The request for the workload; OpenShift's own kind belongs to another API group.
 * @param {{resource: string, name: string}} workload
 * @returns {Asked}
 */
export function askWorkload({ resource, name }) {
  const group = resource === 'deploymentconfigs' ? 'apps.openshift.io' : 'apps';
  return { ...ASKED.replicas, resource, group, name };
}
