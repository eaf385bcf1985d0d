/** What is asked of a cluster, and the right that each needs: docs/openshift.md has them as a Role. */

/** @import { Config } from '../../config/read-config.js' */

/**
 * What is asked for, in the words of a Role.
 * @typedef {object} Asked
 * @property {string} verb `get`
 * @property {string} resource `pods`
 * @property {string} group '' is that of pods and services
 * @property {string} [version]
 * @property {string} [name] of the one to get
 * @property {string} [subresource] `log`
 */

/** Over a WebSocket it is a `get` for the API server, and from Kubernetes 1.35 on a `create`, too. */
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

/** Without a name of pods nothing is asked. @param {Config} config */
export function isClusterNamed(config) {
  return Boolean(config.get('KUBE_WORKLOAD') || config.get('KUBE_SELECTOR'));
}

/**
 * The workload itself; OpenShift's own kind is of another group.
 * @param {{resource: string, name: string}} workload
 * @returns {Asked}
 */
export function askWorkload({ resource, name }) {
  const group = resource === 'deploymentconfigs' ? 'apps.openshift.io' : 'apps';
  return { ...ASKED.replicas, resource, group, name };
}
