/** All scripts under Artillery itself: does the version that is installed do what was recorded? */
import { declareArtillery } from './declare-tests.js';
import { listScripts } from './list-scripts.js';

declareArtillery(listScripts());
