import { declareAllCpu, declareCollections, declareThreads } from './declare-workers.js';

declareThreads('sync');
for (const kind of /** @type {const} */ (['sync', 'gevent'])) {
  declareAllCpu(kind);
  declareCollections(kind);
}
