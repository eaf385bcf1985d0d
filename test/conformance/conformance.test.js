/** One script of each feature; `npm run test:slow conformance` takes all. */
import { declareRecorded } from './declare-tests.js';
import { listScripts } from './list-scripts.js';

const byFeature = Object.groupBy(
  listScripts().filter(({ slow }) => !slow),
  ({ name }) => name.split('/')[0] ?? name,
);
declareRecorded(Object.values(byFeature).flatMap((scripts = []) => scripts.slice(0, 1)));
