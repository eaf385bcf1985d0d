/** All scripts under our engine. */
import { declareRecorded } from './declare-tests.js';
import { listScripts } from './list-scripts.js';

declareRecorded(listScripts());
