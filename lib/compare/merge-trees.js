/** Call trees of several runs laid over each other. */
import { categorizeNodes } from '../sample-table/categorize.js';

// the gunicorn companion stands around the API in runs that have it: looked through, so that what it
// calls is found at the same place in runs without it
const OWN_FILE = /(?:^|\/)loadflame_gunicorn\.py$/;

/** @import { SampleCounts, Samples } from '../sample-table/sample-table.d.ts' */

/**
 * Nodes with the same functions on their way from the root are one, whatever their lines.
 * @param {{samples: Samples, counts: SampleCounts}[]} runs
 * @returns {{
 *   frames: {function: string, file: string}[],
 *   categories: {id: string, label: string, color: string}[],
 *   parent: number[], frame: number[], category: number[],
 *   totals: Float64Array[],
 * }} parents before children, node 0 is the root; `totals`: per run, per node; `category` is of the run
 *   with most samples there
 */
export function mergeTrees(runs) {
  /** @type {{function: string, file: string}[]} */
  const frames = [];
  /** @type {Map<string, number>} */
  const frameIds = new Map();
  /** @type {{id: string, label: string, color: string}[]} */
  const categories = [];
  const parent = [-1];
  const frame = [-1];
  const category = [-1];
  /** most samples that a run has at the node */
  const most = [0];
  /** @type {Map<number, number>[]} per node: frame → child */
  const children = [new Map()];
  const places = runs.map(({ samples, counts }) => {
    const { table, tree } = samples;
    const frameOf = table.frames.map(own => {
      const key = `${own.function}\0${own.file}`;
      const known = frameIds.get(key) ?? frames.push(own) - 1;
      frameIds.set(key, known);
      return known;
    });
    const categoryOf = table.categories.map(own => {
      const known = categories.findIndex(({ id }) => id === own.id);
      return known >= 0 ? known : categories.push(own) - 1;
    });
    const groups = categorizeNodes(samples, counts);
    const place = new Int32Array(tree.parent.length).fill(-1);
    const lookedThrough = new Uint8Array(tree.parent.length);
    place[0] = 0;
    for (let node = 0; node < place.length; node++) {
      const total = counts.totals[node] ?? 0;
      if (total === 0) continue;
      const above = node === 0 ? 0 : (place[tree.parent[node] ?? 0] ?? 0);
      const frameId = tree.frame[node] ?? -1;
      const isOwn = node === 0 || OWN_FILE.test(table.frames[frameId]?.file ?? '');
      const at = isOwn ? above : findChild(above, frameOf[frameId] ?? 0);
      place[node] = at;
      if (node > 0 && isOwn) lookedThrough[node] = 1;
      if (total <= (most[at] ?? 0)) continue;
      most[at] = total;
      category[at] = categoryOf[groups[node] ?? -1] ?? -1;
    }
    return { place, lookedThrough };
  });

  /** @param {number} above @param {number} frameId */
  function findChild(above, frameId) {
    const known = children[above]?.get(frameId);
    if (known !== undefined) return known;
    const made = parent.push(above) - 1;
    frame.push(frameId);
    category.push(-1);
    most.push(0);
    children.push(new Map());
    children[above]?.set(frameId, made);
    return made;
  }

  const totals = runs.map(({ counts }, run) => {
    const own = new Float64Array(parent.length);
    const { place = [], lookedThrough = [] } = places[run] ?? {};
    for (const [node, at] of place.entries())
      if (at >= 0 && !lookedThrough[node]) own[at] = (own[at] ?? 0) + (counts.totals[node] ?? 0);
    return own;
  });
  return { frames, categories, parent, frame, category, totals };
}
