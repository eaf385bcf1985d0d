/** Which installed packages are the application, and which are libraries beside it. */
import { addTo } from '../../base/files/maps.js';
import { identifyFrame } from '../hotpath/identify-frame.js';
import { weighNodes } from '../stacks/node-table.js';
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
function countViews(profile, rules) {
  const { nodes, frames } = profile;
  const identities = frames.map(frame => identifyFrame(frame, rules));
  const state = new Uint8Array(nodes.frame.length);
  /** Per node: where the code that the framework called begins on its stack. */
  const firsts = new Int32Array(nodes.frame.length);
  const views = /** @type {Map<string, number>} */ (new Map());
  const below = /** @type {typeof views} */ (new Map());
  for (const [node, at] of nodes.frame.entries()) {
    const above = nodes.parent[node] ?? -1;
    const [identity, before] = [identities[at], state[above] ?? 0];
    state[node] = passOn(identity, before);
    firsts[node] = before === APP ? (firsts[above] ?? 0) : node;
  }
  let all = 0;
  for (const [node, weight] of weighNodes(profile).entries()) {
    if (!state[node]) continue;
    all += weight;
    if (state[node] !== APP) continue;
    const first = firsts[node] ?? 0;
    const identity = identities[nodes.frame[first] ?? 0];
    const isDirect = state[nodes.parent[first] ?? -1] === DISPATCHING && !isHook(identity);
    addTo(below, nameTop(identity), weight);
    if (isDirect) addTo(views, nameTop(identity), weight);
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
