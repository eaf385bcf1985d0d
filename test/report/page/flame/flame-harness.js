/** A page with nothing but the flamegraph, run in the browser by the tests. */

import { selectSamples } from '../../../../lib/analysis/sample-table/select.js';
import { unpackSampleTable } from '../../../../lib/analysis/sample-table/unpack.js';
import { Flamegraph } from '../../../../lib/report/page/flame/flamegraph.js';
import { makeSpeedscopeOpener } from '../../../../lib/report/page/flame/speedscope.js';

/** @import { Selection } from '../../../../lib/run/facts/sample-table.d.ts' */

const table = JSON.parse(document.getElementById('table')?.textContent ?? '');
const samples = await unpackSampleTable(table);
/** @type {Selection} */
let selection = {};
/** @param {Selection} next */
const select = next => {
  selection = next;
  const counts = selectSamples(samples, selection);
  flamegraph.show(counts, 8);
  return counts;
};
const flamegraph = new Flamegraph({
  samples,
  whole: selectSamples(samples),
  onSearch: search => select({ ...selection, search: search ?? undefined }),
  onCategories: categories => select({ ...selection, categories: categories ?? undefined }),
  openSpeedscope: makeSpeedscopeOpener(() => samples, { name: 'run <b>1</b>', rateHz: 100 }),
});
const harnessMain = document.createElement('main');
harnessMain.append(flamegraph.element);
document.body.append(harnessMain);
select({});
Object.assign(window, { select, flamegraph });
