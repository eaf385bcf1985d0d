/** A run of `loadflame cluster run` in the lab: what it leaves here, and in the cluster. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { BatchV1Api, CoreV1Api } from '@kubernetes/client-node';
import { waitFor } from './lab/start-lab.js';

/** @import { Lab } from './lab/start-lab.js' */

/** Until a namespace has no object of ours. @param {Lab} lab @param {string} [namespace] */
export function waitForRemoval(lab, namespace = 'shop') {
  const batch = lab.config.makeApiClient(BatchV1Api);
  const core = lab.config.makeApiClient(CoreV1Api);
  return waitFor('end of the pods', async () => {
    const lists = await Promise.all([
      batch.listNamespacedJob({ namespace }),
      core.listNamespacedConfigMap({ namespace }),
      core.listNamespacedSecret({ namespace }),
      core.listNamespacedPod({ namespace }),
    ]);
    const names = lists.flatMap(({ items }) => items.map(({ metadata }) => metadata?.name ?? ''));
    return !names.some(name => name.startsWith('loadflame-'));
  });
}

/** The only run of a folder. @param {string} folder */
export function readRun(folder) {
  const [run = ''] = globSync('profiles/*/', { cwd: folder }).map(name => path.join(folder, name));
  const files = globSync('**/*', { cwd: run, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => path.join(entry.parentPath, entry.name));
  const read = (/** @type {string} */ name) => readFileSync(path.join(run, name), 'utf8');
  return {
    files,
    manifest: JSON.parse(read('run.json')),
    get report() {
      return JSON.parse(read('report.json'));
    },
    /** @param {string} name @returns {Record<string, any>[]} */
    records: name =>
      read(`${name}.ndjson`)
        .split('\n')
        .filter(line => line.endsWith('}'))
        .map(line => JSON.parse(line)),
  };
}
