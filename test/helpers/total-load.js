import { LoadTotals } from '../../lib/analysis/read/load/load-totals.js';
import { recordsOf } from './records.js';

/** Records of one load test, summed up. @param {Record<string, any>[]} records without its start */
export function totalLoad(records) {
  return LoadTotals.of(
    recordsOf('metrics', [{ t: 0, kind: 'load-start', engine: 'loadflame' }, ...records]),
  );
}
