/** Finds the pods that KUBE_WORKLOAD and KUBE_SELECTOR select. */
import { LoadflameError } from '../errors.js';
import { ASKED, askWorkload } from './permissions.js';
import { readOwner, readSelector } from './read-objects.js';

/** @import { Config } from '../config/read-config.js' */
/** @import { Cluster } from './connect.js' */
/** @import { ApiObject } from './api-object.d.ts' */

/**
 * @typedef {object} FoundPods
 * @property {string} selector
 * @property {{resource: string, name: string} | null} workload null if the pods name no owner
 * @property {ApiObject[]} items the pods, at least one
 * @property {Record<string, string>} labels of the first one
 */

/**
 * @param {Cluster} cluster
 * @param {Config} config
 * @returns {Promise<FoundPods>}
 * @throws {LoadflameError} KUBE_…
 */
export async function findPods(cluster, config) {
  const { namespace } = cluster;
  const named = config.get('KUBE_WORKLOAD');
  const selector =
    config.get('KUBE_SELECTOR') ?? readSelector(await cluster.ask(askWorkload(named)));
  const { items = [] } = await cluster.ask(ASKED.pods, { labelSelector: selector });
  const [first] = items;
  if (!first) {
    await checkNamespace(cluster);
    throw new LoadflameError('KUBE_NO_PODS', { namespace, selector });
  }
  const labels = first.metadata?.labels ?? {};
  return { selector, workload: named ?? readOwner(first), items, labels };
}

/** For a namespace that does not exist, the API returns an empty list of pods. @param {Cluster} cluster */
async function checkNamespace(cluster) {
  const { namespace } = cluster;
  try {
    await cluster.ask({ verb: 'get', resource: '', group: '' });
  } catch (error) {
    const { code } = /** @type {LoadflameError} */ (error);
    // A login with rights only inside namespaces may not read namespaces, so its errors prove nothing.
    if (code === 'KUBE_NOT_THERE')
      throw new LoadflameError('KUBE_NAMESPACE_UNKNOWN', { namespace });
  }
}
