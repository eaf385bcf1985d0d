/** One axis for everything that a run measured over time. */
import { sum } from '../../../math/summary.js';
import { streamMetrics } from '../../read/read-run.js';
import { buildSecondsGrid, isContinued } from './build-grid.js';
import { LoadSeries } from './load-series.js';
import {
  buildCoresSeries,
  buildGeneratorSeries,
  buildHostSeries,
  buildWorkerSeries,
} from './resource-series.js';

/** @import { Grid } from './build-grid.js' */
/** @import { CostLoad } from '../load-rates.d.ts' */
/** @import { RunRecords } from '../../read/read-run.js' */
/** @import { LoadReport } from '../../../facts/load-report.d.ts' */
/** @import { TimeRange } from '../../../facts/estimate.d.ts' */
/** @import { Timeline } from '../../../facts/timeline.d.ts' */
/** @import { SecondRecord } from '../seconds.js' */

/**
 * A run over time, and what costs per endpoint need from it.
 * @typedef {object} RunOverTime
 * @property {Grid | null} grid
 * @property {Timeline | null} timeline
 * @property {CostLoad | null} load
 */

/**
 * The windows are known only after everything has been read once, so the seconds are read again. Windows are whole
 * seconds, or Artillery's periods, which can't be divided.
 * @param {RunRecords} records
 * @param {object} known
 * @param {LoadReport | null} known.load
 * @param {TimeRange | null} known.range what the figures cover
 * @param {Timeline | null} known.periods of a load that Artillery sent
 * @param {GrowingSeries} [growing] of an active run
 * @returns {Promise<RunOverTime>}
 */
export async function followRun(records, { load, range, periods }, growing = new GrowingSeries()) {
  /** @type {Grid | null} */
  const grid = periods ?? (range && { edgesMs: growing.buildEdges(range), basis: 'seconds' });
  const series = periods ? null : grid && load && (await growing.follow(records, grid, load));
  const timeline = grid && buildTimeline(grid, records, periods?.load ?? series?.close() ?? null);
  const { endpoints } = records.load;
  return {
    grid,
    timeline,
    load: load && {
      endpoints: (timeline?.load?.endpoints ?? []).map(({ name, requests, measured }) => {
        const { codes, server, routes } = endpoints.of(name);
        return {
          ...{ name, measured, perWindow: requests, requests: sum(requests) },
          answers: sum(Object.values(codes)),
          serverMs: server && server.count > 0 ? server.totalMs / server.count : null,
          ...(routes && { routes }),
        };
      }),
    },
  };
}

/** The load per window of an active run: adds what is new, and reads everything again where windows change. */
export class GrowingSeries {
  /** Edges that the windows continue. @type {number[] | null} */
  like = null;
  /** @type {LoadSeries | null} */
  #series = null;
  /** @type {number[]} */
  #edgesMs = [];
  #hasTotal = false;
  /** @type {SecondRecord[]} */
  #added = [];

  /** @param {SecondRecord} record */
  add(record) {
    this.#added.push(record);
  }

  /** @param {TimeRange} range */
  buildEdges(range) {
    return buildSecondsGrid(range, this.like);
  }

  /**
   * @param {Pick<RunRecords, 'files' | 'manifest' | 'metricsBytes'>} records
   * @param {Grid} grid
   * @param {LoadReport} load
   * @returns {Promise<LoadSeries>}
   */
  async follow(records, grid, load) {
    const { edgesMs } = grid;
    const hasTotal = load.http.totalTime !== null;
    const isKnown = this.#series !== null && hasTotal === this.#hasTotal;
    if (isKnown && this.#series && isContinued(edgesMs, this.#edgesMs)) {
      this.#series.extend(
        edgesMs,
        load.endpoints.map(({ name }) => name),
      );
      const endMs = edgesMs.at(-1) ?? 0;
      for (const record of this.#added) if (record.fromMs < endMs) this.#series.add(record);
      // seconds without requests: a later window may hold them
      this.#added = this.#added.filter(({ fromMs }) => fromMs >= endMs);
    } else {
      this.#series = createLoadSeries(grid, load);
      this.#added = [];
      for await (const record of streamMetrics(records))
        if (record.kind === 'second') this.#series.add(record);
    }
    [this.#edgesMs, this.#hasTotal] = [edgesMs, hasTotal];
    return this.#series;
  }
}

/** An empty series for the seconds. @param {Grid} grid @param {LoadReport} load */
export function createLoadSeries({ edgesMs }, { endpoints, http }) {
  const names = endpoints.map(({ name }) => name);
  return new LoadSeries(edgesMs, names, http.totalTime ? 'total' : 'time-to-first-byte');
}

/**
 * @param {Grid} grid
 * @param {Pick<RunRecords, 'load' | 'processes'>} records
 * @param {Timeline['load']} series null without a load
 * @returns {Timeline}
 */
export function buildTimeline({ edgesMs, basis }, { load, processes }, series) {
  const ofTests = load.tests.flatMap(test => test.records);
  return {
    edgesMs,
    basis,
    load: series,
    workers: buildWorkerSeries(processes, edgesMs),
    hostCores: buildHostSeries(processes, edgesMs),
    recordedCores: buildCoresSeries(processes, edgesMs),
    generator: series && buildGeneratorSeries(ofTests, edgesMs),
  };
}
