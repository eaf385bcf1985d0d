/**
 * Stacks that were read while they changed. A profiler that does not pause its target follows a stack from its
 * innermost frame outwards. Where a function returns meanwhile, who called it is lost, and the stack begins in the
 * middle: so did 0.5 % of 122,000 samples, and none had its beginning and lacked what follows there.
 */
import { sum } from '../../math/summary.js';
import { stackOf } from '../../profile/node-table.js';
import { mergeFunctions } from './functions-of.js';

/** @typedef {import('../../profile/profile.d.ts').Profile} Profile */
/** @typedef {import('../../hotpath/rules.d.ts').Classification} Classification */

/** What the stack of a node lacks. `LOST`: nobody knows whose it is. */
export const [WHOLE, ROOTLESS, LOST] = [0, 1, 2];

/** Where Python starts threads: a script, `python -m`, all but the first of a process. */
const STARTS = /^(?:<module> |_run_module_as_main |(?:Thread\.)?_bootstrap .*threading\.py$)/;
/**
 * Greenlets and callbacks of C code begin anywhere, mostly in one function; a function that is torn from its
 * callers whenever it is seen began 1.1 % of the stacks at most.
 */
const LEAST_SHARE = 0.02;

/**
 * A rootless stack goes where all whole ones with its outermost function go (else with others of the same file).
 * Where those disagree it keeps what it says by itself, if one of them says so, too; else, and where there are none,
 * it is lost. Leaving out all of them would tell servers too small: what is called often and returns at once is torn
 * most (`npm run check:shares`, uvicorn: shares 0.3 to 1.0 points farther from the truth).
 * @param {Profile} profile
 * @param {Classification} classes
 * @returns {Classification & {torn: Uint8Array}} the categories as those who called decide them
 */
export function settleTorn(profile, classes) {
  const { frame, parent } = profile.nodes;
  const { ofFrame, functions } = mergeFunctions(profile);
  const functionOf = frame.map(index => ofFrame[index] ?? 0);
  const rootOf = frame.slice();
  for (const [node, above] of parent.entries()) rootOf[node] = rootOf[above] ?? node;
  const begins = findBeginnings(profile, { ofFrame, functions }, functionOf, rootOf);
  const torn = Uint8Array.from(rootOf, root => (begins.has(functionOf[root]) ? WHOLE : ROOTLESS));
  /** @type {Map<number | string | undefined, Set<number>>} by function, and by file */
  const owners = new Map();
  for (const [node, own] of classes.category.entries()) {
    const id = functionOf[node] ?? 0;
    for (const key of torn[node] === WHOLE ? [id, functions[id]?.file] : [])
      owners.set(key, (owners.get(key) ?? new Set()).add(own));
  }
  const strengthOf = (/** @type {number} */ index) => classes.categories[index]?.strength ?? 0;
  const category = classes.category.map((own, node) => {
    if (torn[node] === WHOLE) return own;
    const root = rootOf[node] ?? 0;
    const id = functionOf[root] ?? 0;
    const claim = classes.category[root] ?? 0;
    const known = [...(owners.get(id) ?? owners.get(functions[id]?.file) ?? [])];
    const [owner = claim] = known.length === 1 ? known : [];
    if (!known.includes(owner)) torn[node] = LOST;
    return own === claim || strengthOf(own) < strengthOf(owner) ? owner : own;
  });
  return { ...classes, category, torn };
}

/**
 * A function begins stacks that does so in most of those that hold it, and where Python starts threads, or in a
 * thread that others begin, too.
 * @param {Profile} profile
 * @param {ReturnType<typeof mergeFunctions>} calls
 * @param {Int32Array} functionOf per node
 * @param {Int32Array} rootOf per node
 * @returns {Set<number | undefined>} functions
 */
function findBeginnings(profile, { ofFrame, functions }, functionOf, rootOf) {
  const { rows, threads } = profile;
  const isStart = functions.map(one => STARTS.test(`${one.function} ${one.file}`));
  const ofNode = new Float64Array(rootOf.length);
  // Twice the samples that it begins, less all that hold it.
  const excess = new Float64Array(functions.length);
  // Threads of one pool are of a kind; those without a name each are one.
  const kindOf = threads.map(({ name }, index) => name.replace(/\d+/g, '#') || index);
  /** @type {Map<string | number | undefined, Map<number, number>>} samples of a kind of thread, by what begins them */
  const kinds = new Map();
  for (const [row, weight] of rows.weight.entries()) {
    const node = rows.node[row] ?? -1;
    const id = functionOf[rootOf[node] ?? -1] ?? 0;
    if (node < 0) continue;
    ofNode[node] = (ofNode[node] ?? 0) + weight;
    excess[id] = (excess[id] ?? 0) + 2 * weight;
    const kind = kindOf[rows.thread[row] ?? -1];
    const roots = kinds.get(kind) ?? new Map();
    kinds.set(kind, roots.set(id, (roots.get(id) ?? 0) + weight));
  }
  for (const [leaf, weight] of ofNode.entries()) {
    const stack = weight > 0 ? stackOf(profile, leaf) : [];
    for (const id of new Set(stack.map(index => ofFrame[index] ?? 0)))
      excess[id] = (excess[id] ?? 0) - weight;
  }
  const begins = [...kinds.values()].flatMap(all => {
    const roots = [...all].filter(([id]) => (excess[id] ?? 0) >= 0);
    const starts = roots.filter(([id]) => isStart[id]);
    const total = sum([...all.values()]);
    // By chance one function is torn twice.
    const most = Math.max(2, LEAST_SHARE * total);
    const hasOthers = roots.some(([id, own]) => !isStart[id] && own > most);
    const isThread = !hasOthers && sum(starts.map(([, own]) => own)) * 2 >= total;
    return (isThread ? starts : roots).map(([id]) => id);
  });
  return new Set(begins);
}
