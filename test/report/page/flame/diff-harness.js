/** A page with nothing but a differential flamegraph, run in the browser by the tests. */
import { makeDifferentialFlame } from '../../../../lib/report/page/flame/flame-diff.js';

const diff = JSON.parse(document.getElementById('diff')?.textContent ?? '');
const diffMain = document.createElement('main');
diffMain.append(makeDifferentialFlame(diff, { before: 'before', after: 'after' }));
document.body.append(diffMain);
