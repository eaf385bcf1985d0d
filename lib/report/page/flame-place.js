import { emptyState, h, section } from './dom.js';
import { makeFlamegraph } from './flame/flamegraph.js';
import { makeSpeedscopeOpener } from './flame/speedscope-overlay.js';

/** @import { SampleCounts, Samples } from '../../sample-table/sample-table.d.ts' */
/** @import { Computed } from './compute/compute.js' */
/** @import { Model } from './compute/model.js' */
/** @import { Store } from './state/store.js' */

/**
 * Keeps the flamegraph's place until its samples are unpacked, and ties it to the selection.
 * @param {Model} model
 * @param {Store} store
 */
export function makeFlamePlace(model, store) {
  const table = model.report.profile?.table;
  /** @type {ReturnType<typeof makeFlamegraph> | null} */
  let graph = null;
  const element =
    table && table.totalSamples > 0
      ? h('div', { class: 'flame-place' }, section('flamegraph', 'Flamegraph'))
      : null;
  return {
    element,
    /** @param {Samples} samples @param {SampleCounts} whole */
    fill(samples, whole) {
      graph = makeFlamegraph({
        samples,
        whole,
        onSearch: search => store.set({ search }),
        onCategories: indexes =>
          store.set({
            categories:
              indexes?.flatMap(index => samples.table.categories[index]?.id ?? []) ?? null,
          }),
        onInvert: inverted => store.set({ inverted }),
        openSpeedscope: makeSpeedscopeOpener(samples, {
          name: model.report.run.id,
          rateHz: model.report.profile?.rateHz ?? null,
        }),
      });
      element?.replaceChildren(graph.element);
    },
    /** Says why there is no picture, where samples could not be unpacked. */
    explain() {
      element?.firstElementChild?.append(
        emptyState(
          'This browser could not unpack the samples.',
          'A current Firefox, Chrome or Safari can; the same profile is in the files listed under Run.',
        ),
      );
    },
    /** @param {Computed} computed */
    show({ counts, state, estimateCost }) {
      if (!graph || !counts) return;
      const cost = estimateCost(counts.total);
      graph.show(counts, { cpuMsPerRequest: cost?.value ?? null, inverted: state.inverted });
    },
    /** @param {string} text */
    find(text) {
      graph?.find(text);
    },
  };
}
