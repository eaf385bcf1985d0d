/**
 * Assigns samples to categories. Walks a profile's tree once, parents before children, and determines for every node
 * the category of the samples that end there. `docs/rules.md` has the rules. In short: the innermost of the strongest
 * claims wins, decorators pass calls on, and helpers belong to their caller.
 */
import { entryOf } from '../../base/files/maps.js';
import { markBelow } from '../stacks/node-table.js';
import { identifyFrame, isCompanion } from './identify-frame.js';

/** @import { Profile } from '../stacks/profile.d.ts' */
/** @import { Category, CauseEvidence, Classification, FrameIdentity, FrameKind, FrameMatcher, FrameRule, Rules, WaitingRule } from '../../run/facts/rules.d.ts' */

// The claim of a helper (json) is weaker than that of application code and stronger than those of framework and
// server. An entry's claim is equally weak, because application code follows it.
const HELPER_STRENGTH = 15;
/** Of `passthrough`. */
export const OVERRIDE = 2;
// flag of a node that only a helper has claimed
const OPEN = 4;
// Categories that a decorator may call through; any other work is its own.
const CALLED_THROUGH = new Set(['business', 'framework', 'server']);

/** @typedef {Omit<FrameRule, 'matches'>} Claim */

/**
 * @typedef {object} State
 * @property {number} category index
 * @property {number} strength
 * @property {boolean} passing a decorator has claimed it
 * @property {boolean} helping a helper has claimed it
 * @property {boolean} request below the start of a request
 * @property {number} entry node
 */

/**
 * @param {Profile} profile
 * @param {Rules} rules
 * @returns {Classification}
 */
export function classifyProfile(profile, rules) {
  const { nodes } = profile;
  const count = nodes.frame.length;
  const categories = [...rules.categories.values()];
  const indexes = new Map(categories.map(({ id }, index) => [id, index]));
  const unknown = indexes.get('unknown') ?? 0;
  const identities = profile.frames.map(frame => identifyFrame(frame, rules));
  const business = rules.categories.get('business');
  const inThread = claimThread(business, rules.categories.get('framework'));
  const frameRulesAt = createPlaceFilter(rules.frames);
  const frameRules = identities.map(identity => {
    if (inThread && isCompanion(identity) && IN_THREAD.test(identity.name)) return inThread;
    const own = frameRulesAt(identity).find(rule => rule.matches(identity));
    return own ?? ownRule(identity, business);
  });
  const { source, segments } = profile;
  const isTimed = source === 'samples' || segments.some(({ startMs }) => startMs !== null);
  const waitingAt = createPlaceFilter(rules.waiting.filter(rule => !(rule.untimed && isTimed)));
  const waitingOf = identities.map(identity =>
    waitingAt(identity).filter(rule => rule.matches(identity)),
  );
  const isPlaced = createPlaceCheck(profile, identities);
  const mayRepeat = createRepeatCheck(profile, identities, frameRules);
  const isLooped = createLoopCheck(profile, identities);
  const tracker = createCauseTracker(rules, { identities, nodes, isPlaced, mayRepeat, isLooped });

  const category = new Uint8Array(count);
  const entry = new Int32Array(count);
  const waiting = new Uint8Array(count);
  const causeSet = new Int32Array(count);
  const passthrough = new Uint8Array(count);
  const strength = new Float32Array(count);
  const flags = new Uint8Array(count);

  for (let node = 0; node < count; node++) {
    const parent = nodes.parent[node] ?? -1;
    const frame = nodes.frame[node] ?? 0;
    const rule = frameRules[frame] ?? null;
    const above = flags[parent] ?? 0;
    /** The state above a root: nothing is claimed. @type {State} */
    const before = {
      category: category[parent] ?? unknown,
      strength: strength[parent] ?? 0,
      passing: (above & 1) !== 0,
      request: (above & 2) !== 0,
      helping: (above & OPEN) !== 0,
      entry: entry[parent] ?? node,
    };
    const after = rule ? applyRule(before, rule, node, indexes) : before;
    category[node] = after.category;
    strength[node] = after.strength;
    entry[node] = after.entry;
    flags[node] =
      (after.passing ? 1 : 0) |
      (after.request ? 2 : 0) |
      (after.helping || after.strength === 0 ? OPEN : 0);
    passthrough[node] = rule?.kind === 'passthrough' && after.entry === node ? 1 : 0;
    const id = categories[after.category]?.id ?? '';
    const found = waitingOf[frame]?.find(one => isPlaced(node, one));
    if (found && !found.notIn.has(id)) waiting[node] = rules.waiting.indexOf(found) + 1;
    causeSet[node] = tracker.extend(causeSet[parent] ?? 0, {
      node,
      category: id,
      claimed: rule?.category?.id ?? null,
      // A module that is loaded for a request does its work once.
      request: (before.request || after.request) && categories[before.category]?.id !== 'import',
    });
  }
  markOverrides(nodes, identities, passthrough);
  const isOpen = (/** @type {number} */ node) => (flags[node] ?? 0) >= OPEN;
  settleStarts(nodes, { category, entry, causeSet }, tracker.sets, isOpen);
  const isCore = categories.map(({ id }) => Number(id === 'server' || id === 'framework'));
  // What hands work to a thread is no part of that work.
  const hands = new Uint8Array(count);
  for (let node = 0; node < count; node++) {
    const own = frameRules[nodes.frame[node] ?? -1];
    const isOfServer = own?.category?.id === 'server' && hands[nodes.parent[node] ?? -1];
    hands[node] = own === inThread || isOfServer ? 1 : 0;
  }
  return {
    category,
    categories,
    entry,
    request: flags.map(flag => (flag & 2) >> 1),
    waiting,
    causeSet,
    causeSets: tracker.sets,
    passthrough,
    isCore: category.map((own, node) => hands[node] || (isCore[own] ?? 0)),
    identities,
    gaps: identities.map(one => rules.gilReleases.find(({ matches }) => matches(one))?.isLong),
  };
}

/**
 * A session or an environment of the application's own passes on all that it is asked for: a method, called by the
 * application, which calls that of its base class in a library. What a library calls (a method of a view) is no such one.
 * @param {Profile['nodes']} nodes @param {FrameIdentity[]} identities @param {Uint8Array} passthrough modified in place
 */
function markOverrides({ parent, frame }, identities, passthrough) {
  const identityOf = (/** @type {number} */ node) => identities[frame[node] ?? -1];
  for (const [node, above] of parent.entries()) {
    const [base, own] = [identityOf(node), identityOf(above)];
    const isBase = base?.origin === 'installed' && own?.origin === 'user';
    if (!isBase || base.name !== own.name || base.name.startsWith('__')) continue;
    if (identityOf(parent[above] ?? -1)?.origin === 'user') passthrough[above] = OVERRIDE;
  }
}

/**
 * A large profile has a hundred thousand functions in some hundred files.
 * @template {{matches: FrameMatcher}} Rule
 * @param {readonly Rule[]} rules
 * @returns {(identity: FrameIdentity) => Rule[]} rules that can match in its file
 */
function createPlaceFilter(rules) {
  /** @type {Map<string, Rule[]>} */
  const known = new Map();
  return identity =>
    entryOf(known, `${identity.origin} ${identity.path}`, () =>
      rules.filter(({ matches }) => matches.isPlace(identity)),
    );
}

/** Of the companion: calls what a request has a thread do, or all that a thread does which it started. */
const IN_THREAD = /^run_(?:in|whole)_thread$/;

/**
 * What works in a thread for a request, works for the application, unless the framework itself or a stronger claim is inside.
 * @param {Category | undefined} business @param {Category | undefined} framework @returns {Claim | null}
 */
function claimThread(business, framework) {
  if (!business || !framework) return null;
  const category = { ...business, strength: framework.strength };
  return { category, kind: 'helper', request: true };
}

/** @param {FrameIdentity} identity @param {Category | undefined} business @returns {Claim | null} */
function ownRule({ origin }, business) {
  if (origin !== 'user' || !business) return null;
  return { category: business, kind: 'owner', request: false };
}

/**
 * @param {State} before
 * @param {Claim} rule
 * @param {number} node
 * @param {Map<string, number>} indexes
 * @returns {State}
 */
function applyRule(before, { category, kind, request }, node, indexes) {
  if (!category) return before;
  const strength =
    kind === 'helper' || kind === 'entry'
      ? Math.min(HELPER_STRENGTH, category.strength)
      : category.strength;
  if (!takesOver(before, { id: category.id, kind, strength }))
    return request ? { ...before, request: true } : before;
  const index = indexes.get(category.id) ?? 0;
  const passing = kind === 'passthrough';
  // a category is entered once, by its first claim; a decorator is a path of its own
  const same =
    index === before.category &&
    (kind !== 'entry' || before.request) &&
    !passing &&
    !before.passing &&
    (!before.helping || kind === 'helper') &&
    before.strength > 0;
  return {
    category: index,
    strength,
    passing,
    helping: kind === 'helper',
    request: before.request || request,
    entry: same ? before.entry : node,
  };
}

/** @param {State} before @param {{id: string, kind: FrameKind, strength: number}} claim */
function takesOver(before, { id, kind, strength }) {
  if (kind === 'entry') return true;
  if (before.passing && kind !== 'helper' && (kind === 'passthrough' || CALLED_THROUGH.has(id)))
    return true;
  if (before.passing && kind === 'helper') return false;
  return strength >= before.strength;
}

/**
 * Frames that start a thread belong to that thread: unclaimed samples get, children before parents, the category (and
 * the causes) that all their callees have in common.
 * @param {Profile['nodes']} nodes
 * @param {Pick<Classification, 'category' | 'entry' | 'causeSet'>} found modified in place
 * @param {Classification['causeSets']} sets
 * @param {(node: number) => boolean} isOpen
 */
function settleStarts(nodes, { category, entry, causeSet }, sets, isOpen) {
  const ids = (/** @type {number} */ node) =>
    (sets[causeSet[node] ?? 0] ?? []).map(({ cause }) => cause.id).join();
  /** per open node: its first child; -1: none; -2: children disagree */
  const heir = new Int32Array(nodes.frame.length).fill(-1);
  for (let node = nodes.frame.length - 1; node >= 0; node--) {
    const child = heir[node] ?? -1;
    if (isOpen(node) && child >= 0) {
      category[node] = category[child] ?? 0;
      entry[node] = entry[child] ?? node;
      causeSet[node] = causeSet[child] ?? 0;
    }
    const parent = nodes.parent[node] ?? -1;
    const other = heir[parent] ?? -1;
    if (parent < 0 || other === -2) continue;
    const agrees = other === -1 || (category[other] === category[node] && ids(other) === ids(node));
    heir[parent] = agrees ? node : -2;
  }
}

/** @typedef {(node: number, pattern: Pick<WaitingRule, 'below' | 'notBelow'>) => boolean} PlaceCheck */

/** @param {Profile} profile @param {readonly FrameIdentity[]} identities per frame @returns {PlaceCheck} */
function createPlaceCheck({ nodes }, identities) {
  /** By the matchers of a pattern: the nodes below one that matches. @type {Map<readonly FrameMatcher[], Uint8Array>} */
  const known = new Map();
  const isBelow = (/** @type {number} */ node, /** @type {readonly FrameMatcher[]} */ matchers) => {
    const mark = () => {
      const fits = identities.map(identity => matchers.some(matches => matches(identity)));
      return markBelow(nodes, at => fits[nodes.frame[at] ?? 0]);
    };
    return entryOf(known, matchers, mark)[node] === 1;
  };
  return (node, { below, notBelow }) =>
    (below === null || isBelow(node, below)) && (notBelow === null || !isBelow(node, notBelow));
}

/** Categories that call a view, at most once per request. */
const AROUND_VIEWS = new Set(['framework', 'server', 'auth', 'push', 'task-queue']);

/**
 * Source code shows where a view executes a line once. Without that evidence, it may be in a loop.
 * @param {Profile} profile
 * @param {readonly FrameIdentity[]} identities per frame
 * @param {readonly (Claim | null)[]} frameRules
 * @returns {(node: number) => boolean}
 */
function createRepeatCheck({ frames, nodes }, identities, frameRules) {
  return evidence => {
    let isInView = false;
    for (let node = evidence; node >= 0; node = nodes.parent[node] ?? -1) {
      const frame = nodes.frame[node] ?? 0;
      const id = frameRules[frame]?.category?.id ?? '';
      if (identities[frame]?.origin === 'user') {
        isInView = true;
        if (frames[frame]?.repeats !== false) return true;
      } else if (isInView || id !== 'database') return !(isInView && AROUND_VIEWS.has(id));
    }
    return true;
  };
}

/** Its first iterable is evaluated outside of it, except for a generator, which runs while it goes through that. */
const COMPREHENSION = /<(?:listcomp|setcomp|dictcomp|genexpr)>$/;
/** What goes through elements that a query or a generator has. */
const ITERABLE = /^(?:__iter__|<genexpr>)$/;
/** Lines of the app: the one that leads to the evidence, and the one that calls its function. */
const LINES = 2;

/**
 * Whether source code shows that something is done in a loop.
 * @param {Profile} profile
 * @param {readonly FrameIdentity[]} identities per frame
 * @returns {(node: number) => boolean}
 */
function createLoopCheck({ frames, nodes }, identities) {
  return evidence => {
    const called = new Set();
    let [lines, below] = [0, ''];
    for (let node = evidence; node >= 0 && lines < LINES; node = nodes.parent[node] ?? -1) {
      const at = nodes.frame[node] ?? 0;
      const { name = '', inLoop, each = [] } = frames[at] ?? {};
      const isUsers = identities[at]?.origin === 'user';
      const isForEach = COMPREHENSION.test(name) && !ITERABLE.test(below);
      if (isUsers && (inLoop || isForEach || each.some(one => called.has(one)))) return true;
      // What calls the application back may do so once.
      if (!isUsers && lines > 0) return false;
      lines += Number(isUsers);
      below = name.slice(name.lastIndexOf('.') + 1);
      called.add(below);
    }
    return false;
  };
}

/**
 * What source shows of a line (priority below 50) says less than what is built there, and where it is nested, the
 * innermost line says most.
 * @param {{cause: Rules['causes'][number]}} own
 */
export const explains = ({ cause }) => cause.priority >= 50;

/**
 * Sets of causes along the tree; most nodes share the set of their parent.
 * @param {Rules} rules
 * @param {{identities: readonly FrameIdentity[], nodes: Profile['nodes'], isPlaced: PlaceCheck, mayRepeat: (node: number) => boolean, isLooped: (node: number) => boolean}} profile
 */
function createCauseTracker({ causes }, { identities, nodes, isPlaced, mayRepeat, isLooped }) {
  /** @type {CauseEvidence[][]} */
  const sets = [[]];
  const evidenceAt = createPlaceFilter(
    causes.flatMap(cause => cause.evidence.map(pattern => ({ ...pattern, cause }))),
  );
  const candidates = identities.map(identity =>
    evidenceAt(identity).filter(({ matches }) => matches(identity)),
  );
  const identityAt = (/** @type {number} */ node) => identities[nodes.frame[node] ?? 0];
  const isOfApp = markBelow(nodes, node => identityAt(node)?.origin === 'user');
  /** Validators, default factories and hooks of the class are part of it. @param {number} evidence */
  const isBuiltByApp = evidence =>
    isOfApp[evidence] === 1 && /^__(?:init|new)__$/.test(identityAt(evidence)?.name ?? '');
  return {
    sets,
    /**
     * @param {number} set of the parent
     * @param {{node: number, category: string, claimed: string | null, request: boolean}} where
     * @returns {number} the set at this node
     */
    extend(set, { node, category, claimed, request }) {
      // Modules of a debugger that is merely imported are not evidence that it runs.
      if (category === 'startup') return set;
      const identity = identityAt(node);
      const all = sets[set] ?? [];
      const possible = candidates[nodes.frame[node] ?? 0] ?? [];
      if (all.length + possible.length === 0) return set;
      // What calls the application back builds nothing, but for a constructor that the application calls.
      const isBack = (/** @type {CauseEvidence} */ { cause, node }) =>
        cause.named && identity?.origin === 'user' && !isBuiltByApp(node);
      const known = all.filter(own => !isBack(own) && !own.cause.notIn.includes(category));
      const found = possible.filter(
        pattern =>
          (!pattern.cause.inRequest || request) &&
          (!pattern.cause.repeats || mayRepeat(node)) &&
          (!pattern.inLoop || isLooped(node)) &&
          !(known.some(({ cause }) => cause === pattern.cause) && explains(pattern)) &&
          (pattern.category === null || pattern.category === claimed) &&
          (pattern.in === null || pattern.in.has(category)) &&
          isPlaced(node, pattern),
      );
      const special = found.filter(({ cause }) => !cause.named);
      const isExplained = [...known, ...special].some(own => own.cause.inRequest && explains(own));
      const added = [...new Set((isExplained ? special : found).map(({ cause }) => cause))];
      if (added.length === 0 && known.length === all.length) return set;
      const others = known.filter(({ cause }) => !added.includes(cause));
      return sets.push([...others, ...added.map(cause => ({ cause, node }))]) - 1;
    },
  };
}
