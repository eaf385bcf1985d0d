import v8 from 'node:v8';
import vm from 'node:vm';

/**
 * V8 lets the space of young objects grow to 2 × 64 MB where a machine has memory to spare. Nearly all
 * that an analysis makes of a record is garbage at once, so a larger space only takes longer to fill:
 * without growth the report of an hour takes as long, and 75 MB less.
 */
export function keepHeapSmall() {
  v8.setFlagsFromString('--semi-space-growth-factor=1');
}

/**
 * Collects garbage now. Typed arrays lie outside of V8's heap, so it sees no need to, and an hour's
 * analysis leaves 100 MB of them behind; it takes some 20 ms. Of the regular flavour: the one for a last
 * resort throws away compiled code, too, and costs half a second of compiling it again.
 */
export function collectGarbage() {
  v8.setFlagsFromString('--expose-gc');
  vm.runInNewContext('gc')({ type: 'major', execution: 'sync', flavor: 'regular' });
}
