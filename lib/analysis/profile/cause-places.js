/** Known causes: the lines of the application that lead to one, and the path to its evidence. */
import { sum } from '../../base/math/summary.js';
import { OVERRIDE } from '../hotpath/classify-profile.js';
import { isCompanion } from '../hotpath/identify-frame.js';
import { isAround } from './costs/find-views.js';
import { nameFunction } from './path-tables.js';

/** @typedef {import('../stacks/profile.d.ts').Profile} Profile */
/** @typedef {import('../../run/facts/rules.d.ts').Classification} Classification */

/** Least part of a cause for a place to be named, and the most places. */
const LEAST_PLACE = 0.02;
const MOST_PLACES = 5;

/**
 * Where the application's own code leads to the cause, and in which view: a library's frames look the same
 * whatever was touched.
 * @param {ReadonlyMap<number, number>} nodes with evidence → samples
 * @param {import('../../run/facts/rules.d.ts').Cause} cause
 * @param {Parameters<typeof describeEvidence>[1]} context
 * @returns {import('../../run/facts/profile-report.d.ts').CausePlace[]} most samples first
 */
export function findPlaces(nodes, cause, { profile, classes, functionOf, functions }) {
  /** @type {Map<string, import('../../run/facts/profile-report.d.ts').CausePlace>} */
  const places = new Map();
  const total = sum([...nodes.values()]);
  for (const [evidence, weight] of nodes) {
    /** @type {number[]} */
    const own = [];
    for (let node = evidence; node >= 0; node = profile.nodes.parent[node] ?? -1) {
      const frame = profile.nodes.frame[node] ?? 0;
      const identity = classes.identities[frame];
      // What is outside of it is the same for every view, as is a decorator around one.
      if (classes.isCore[node]) break;
      const passes = classes.passthrough[node];
      const wraps = passes === 1 || (identity && isAround(identity));
      if (passes !== OVERRIDE && isOwn(frame, node) && !(own.length > 0 && wraps)) own.push(frame);
    }
    // A generic view has no frame of the application: a field of its serializer touches the relation.
    let outside = own.length === 0 && cause.repeats ? evidence : -1;
    while (categoryAt(outside) === 'database') outside = profile.nodes.parent[outside] ?? -1;
    if (outside >= 0) own.push(profile.nodes.frame[outside] ?? 0);
    const [inner, outer] = [own[0], own.at(-1)];
    if (inner === undefined || outer === undefined) continue;
    const [at, view] = [inner, outer].map(
      frame => functions[functionOf[frame] ?? 0] ?? { function: '', file: '' },
    );
    const { line, touches, shown, inLoops: [loop] = [] } = profile.frames[inner] ?? {};
    const key = JSON.stringify([at, view, line, profile.frames[outer]?.line]);
    const place = places.get(key) ?? {
      ...{ function: at?.function ?? '', file: at?.file ?? '', line: line || null },
      ...(cause.repeats && touches && { touches: [...touches] }),
      ...(shown && { shown }),
      ...(loop && loop.line !== line && loop.over && { over: loop.over }),
      view: view && view !== at ? { ...view, line: profile.frames[outer]?.line || null } : null,
      share: 0,
    };
    places.set(key, { ...place, share: place.share + weight / total });
  }
  return [...places.values()]
    .filter(({ share }) => share >= LEAST_PLACE)
    .sort((a, b) => b.share - a.share)
    .slice(0, MOST_PLACES);

  /** @param {number} node */
  function categoryAt(node) {
    return classes.categories[classes.category[node] ?? -1]?.id ?? '';
  }

  /** @param {number} frame @param {number} node */
  function isOwn(frame, node) {
    return (
      classes.identities[frame]?.origin === 'user' &&
      classes.request[node] === 1 &&
      !['import', 'startup', 'dev-tools'].includes(categoryAt(node))
    );
  }
}

/**
 * The path from the entry of the category to the evidence, one function per package on the way:
 * `validate_token (flask_oidc/__init__.py)`, `_build_ssl_context (httplib2/__init__.py)`.
 * @param {number} evidence node
 * @param {{profile: Profile, classes: Classification, functionOf: Int32Array, functions: {function: string, file: string}[]}} context
 * @returns {string[]} outermost first
 */
export function describeEvidence(evidence, { profile, classes, functionOf, functions }) {
  const { nodes } = profile;
  const entry = classes.entry[evidence] ?? evidence;
  /** @type {number[]} */
  const chain = [];
  for (
    let node = evidence;
    node >= 0 && node >= Math.min(entry, evidence);
    node = nodes.parent[node] ?? -1
  )
    // the library is entered at the attribute, whichever was touched
    if (node === evidence || !isPassed(classes.identities[nodes.frame[node] ?? 0]))
      chain.unshift(node);
  // Python's own importer does not show who imports.
  const importer = nodes.parent[entry] ?? -1;
  const category = classes.categories[classes.category[evidence] ?? -1]?.id;
  if (category === 'import' && importer >= 0) chain.unshift(importer);
  const topOf = (/** @type {number} */ node) =>
    classes.identities[nodes.frame[node] ?? 0]?.path.split('/')[0];
  const kept = chain.filter(
    (node, index) =>
      index === 0 || index === chain.length - 1 || topOf(node) !== topOf(chain[index - 1] ?? node),
  );
  const shown = kept.length <= 5 ? kept : [...kept.slice(0, 2), ...kept.slice(-3)];
  return shown.map(node =>
    nameFunction(functions[functionOf[nodes.frame[node] ?? 0] ?? 0] ?? { function: '', file: '' }),
  );
}

/** @param {import('../../run/facts/rules.d.ts').FrameIdentity | undefined} identity */
const isPassed = identity => identity?.name === '__get__' || isCompanion(identity);
