/** Which installed packages are the application, and which are libraries beside it. */
import { addTo } from '../../base/files/maps.js';
import { identifyFrame } from '../hotpath/identify-frame.js';
import { DISPATCHING, isBridge, isDispatcher, isHook, isWrapper } from './costs/find-views.js';

/** @import { Manifest } from '../../run/facts/records.d.ts' */
/** @import { FrameIdentity, Rules } from '../../run/facts/rules.d.ts' */
/** @import { Profile } from '../stacks/profile.d.ts' */

/** Of the samples below dispatchers. A torn stack now and then shows calls that never happen. */
const LEAST_SHARE = 0.01;
// what a walk down the tree has passed
const FRAMEWORK = 2;
const APP = 3;

/**
 * py-spy's names of files do not show what is installed. An installed package is a library
 * - if another installed one needs it, unless more views are in it than in any that is not needed: a plug-in needs its host
 * - if none needs it, but only views elsewhere are seen: those of another such package, or code that is not installed
 * @param {Rules} rules
 * @param {Profile} profile
 * @param {Pick<Manifest, 'packages' | 'modules'>} manifest
 * @returns {Rules} which know these libraries as well
 */
export function addLibraries(rules, profile, { packages = {}, modules }) {
  const named = Object.keys(packages).map(name => name.replaceAll('-', '_'));
  const { needed, unneeded } = modules ?? { needed: [], unneeded: named };
  const [isNeeded, isUnneeded] = [new Set(needed), new Set(unneeded)];
  const { views, below, all } = countViews(profile, rules);
  const partOf = (/** @type {Map<string, number>} */ counts, /** @type {string} */ top) => {
    const part = (counts.get(top) ?? 0) / all;
    return part >= LEAST_SHARE ? part : 0;
  };
  const isInstalled = (/** @type {string} */ top) => isNeeded.has(top) || isUnneeded.has(top);
  const tops = [...below.keys()];
  const most = Math.max(0, ...tops.map(top => (isNeeded.has(top) ? 0 : partOf(views, top))));
  const isElsewhere = most > 0 || tops.some(top => !isInstalled(top) && partOf(below, top) > 0);
  const libraries = [
    ...unneeded.filter(top => isElsewhere && partOf(views, top) === 0),
    ...needed.filter(top => partOf(views, top) <= most),
  ];
  return { ...rules, installed: rules.installed.union(new Set(libraries)) };
}

/**
 * Samples below what calls views, by the top of the module that is called there, directly or by the framework's code.
 * @param {Profile} profile @param {Rules} rules
 */
function countViews({ nodes, frames, rows }, rules) {
  const identities = frames.map(frame => identifyFrame(frame, rules));
  const state = new Uint8Array(nodes.frame.length);
  const direct = state.slice();
  const topOf = new Map();
  const views = /** @type {Map<string, number>} */ (new Map());
  const below = /** @type {typeof views} */ (new Map());
  for (const [node, at] of nodes.frame.entries()) {
    const above = nodes.parent[node] ?? -1;
    const [identity, before] = [identities[at], state[above] ?? 0];
    state[node] = passOn(identity, before);
    if (state[node] !== APP) continue;
    const isFirst = before !== APP;
    topOf.set(node, isFirst ? nameTop(identity) : topOf.get(above));
    direct[node] = isFirst
      ? Number(before === DISPATCHING && !isHook(identity))
      : (direct[above] ?? 0);
  }
  let all = 0;
  for (const [row, weight] of rows.weight.entries()) {
    const node = rows.node[row] ?? -1;
    if (!state[node]) continue;
    all += weight;
    const top = topOf.get(node);
    if (top === undefined) continue;
    addTo(below, top, weight);
    if (direct[node]) addTo(views, top, weight);
  }
  return { views, below, all };
}

/** @param {FrameIdentity | undefined} identity @param {number} before */
function passOn(identity, before) {
  if (!identity || before === APP) return before;
  if (isDispatcher(identity)) return DISPATCHING;
  if (before === 0) return 0;
  if (before === DISPATCHING && (isWrapper(identity) || isBridge(identity))) return DISPATCHING;
  if (identity.origin === 'user' && identity.path.endsWith('.py')) return APP;
  return identity.origin === 'installed' ? FRAMEWORK : before;
}

/** @param {FrameIdentity | undefined} identity */
const nameTop = identity => identity?.path.replace(/[/.].*/, '') ?? '';
