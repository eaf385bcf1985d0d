/** The load per window. Windows are known only after all seconds were summed up, so these are read a second time. */
import { streamMetrics } from '../read-run.js';
import { buildSecondsGrid, isContinued } from './build-grid.js';
import { LoadSeries } from './load-series.js';

/** @import { TimeRange } from '../../../base/math/estimate.d.ts' */
/** @import { RunRecords } from '../read-run.js' */
/** @import { SecondRecord } from './seconds.js' */

/** The load per window, of a run that may grow: adds what is new, and reads everything again where windows change. */
export class GrowingSeries {
  /** Edges that the windows continue. @type {number[] | null} */
  like = null;
  /** @type {LoadSeries | null} */
  #series = null;
  /** Endpoints that had another name when it was read. */
  #renamed = 0;
  /** @type {SecondRecord[]} */
  #added = [];

  /** @param {SecondRecord} record */
  add(record) {
    this.#added.push(record);
  }

  /**
   * @param {Pick<RunRecords, 'files' | 'manifest' | 'metricsBytes' | 'load'>} records
   * @param {TimeRange} range to divide into windows
   * @returns {Promise<LoadSeries>}
   */
  async read(records, range) {
    const edgesMs = buildSecondsGrid(range, this.like);
    const { endpoints } = records.load;
    const [names, { size: renamed }] = [endpoints.names(), endpoints.renamed];
    const nameOf = (/** @type {string} */ name) => endpoints.nameOf(name);
    const isSame = renamed === this.#renamed;
    const latencyOf =
      records.load.sums.sketch('http.total').count > 0 ? 'total' : 'time-to-first-byte';
    const known = this.#series;
    if (isSame && known?.latencyOf === latencyOf && isContinued(edgesMs, known.edgesMs)) {
      known.extend(edgesMs, names);
      const endMs = edgesMs.at(-1) ?? 0;
      for (const record of this.#added) if (record.fromMs < endMs) known.add(record, nameOf);
      // seconds without requests: a later window may hold them
      this.#added = this.#added.filter(({ fromMs }) => fromMs >= endMs);
      return known;
    }
    this.#added = [];
    this.#renamed = renamed;
    this.#series = new LoadSeries(edgesMs, names, latencyOf);
    if (records.load.tests.length > 0)
      for await (const record of streamMetrics(records))
        if (record.kind === 'second' && records.load.covers(record.fromMs))
          this.#series.add(record, nameOf);
    return this.#series;
  }
}
