/** Finds the view function on each stack: the frame that the framework calls for a route. */

import { addTo, entryOf } from '../../../base/files/maps.js';

/** @typedef {import('../table/merge-tree.js').MergedTree} MergedTree */
/** @typedef {import('../../../run/facts/rules.d.ts').FrameIdentity} FrameIdentity */

// position of a walk down the tree
const OUTSIDE = 0;
export const DISPATCHING = 1;
const ELSEWHERE = 2;
/** A function with a route says more of a line than any number of others. */
const ROUTED = 1e6;

/** In place of a view: the response of one that has returned is rendered or streamed. Whose it is, is not known. */
export const LATER = -2;
/** Path and qualified name of code that renders later. */
const RENDERERS =
  /^(?:django\/(?:template|http)\/response\.py |werkzeug\/(?:wsgi|wrappers\/response)\.py |starlette\/responses\.py .*stream_response$)/;

/**
 * A decorator's frame is between the framework and the view, and is the same for everything that it decorates. It is
 * recognized because it calls a function whose route the source states, or by its name. What it calls from another line
 * than views is no view.
 * @param {MergedTree} tree
 * @param {object} about
 * @param {(node: number) => boolean} about.isRouted the source states a route of the function
 * @param {(node: number) => FrameIdentity | null} about.identityOf of a merged node
 * @param {(node: number) => boolean} about.isPassthrough rules say it is a decorator or middleware
 * @param {(node: number) => boolean} about.isBusiness its time is the application's own, and not auth
 *   or similar
 * @param {(node: number) => number} about.lineOf the line that calls it; 0 where unknown
 * @returns {{viewOf: Int32Array, asideOf: Int32Array}} per merged node: the node of its view, or of the view that called
 *   it; -1 for none, LATER. `asideOf`: without a view, the node that the framework or a decorator called instead
 */
export function findViews({ parent }, about) {
  const { identityOf, isRouted, isPassthrough, isBusiness } = about;
  const count = parent.length;
  const viewOf = new Int32Array(count).fill(-1);
  const asideOf = viewOf.slice();
  const state = new Uint8Array(count);
  /** Frames that only call a view. @type {Set<number>} */
  const crossing = new Set();
  // A base class of the application whose `dispatch` leads to the framework's one serves all of its views.
  const leads = (/** @type {number} */ node) => {
    const identity = identityOf(node);
    return isRouted(node) || crossing.has(node) || (identity !== null && isDispatcher(identity));
  };
  for (let node = count - 1; node > 0; node--)
    if (leads(node) && !isRouted(parent[node] ?? 0)) crossing.add(parent[node] ?? 0);
  const isCalled = findCallLines({ parent }, { ...about, leads });
  const isView = (/** @type {number} */ node, /** @type {FrameIdentity} */ identity) =>
    (isRouted(node) || isBusiness(node)) && isCalled(node) && !isHook(identity);
  for (let node = 1; node < count; node++) {
    const above = parent[node] ?? 0;
    const view = viewOf[above] ?? -1;
    if (view !== -1) {
      viewOf[node] = view;
      continue;
    }
    const identity = identityOf(node);
    const before = state[above] ?? OUTSIDE;
    if (RENDERERS.test(`${identity?.path} ${identity?.qualified}`)) viewOf[node] = LATER;
    else if (identity && isDispatcher(identity)) state[node] = DISPATCHING;
    else if (before !== DISPATCHING || !identity)
      state[node] = before === OUTSIDE ? OUTSIDE : ELSEWHERE;
    else if (isPassthrough(node) || isWrapper(identity) || crossing.has(node))
      state[node] = DISPATCHING;
    else if (identity.origin === 'user' && isView(node, identity)) viewOf[node] = node;
    // anything else that an installed package calls (a user look-up, a validator) is no view
    else state[node] = isBridge(identity) ? DISPATCHING : ELSEWHERE;
    if (state[node] === ELSEWHERE)
      asideOf[node] = before === DISPATCHING ? node : (asideOf[above] ?? -1);
  }
  return { viewOf, asideOf };
}

/**
 * The line of a caller that calls views: the one with the most functions that have routes or lead to views, else with the
 * most functions.
 * @param {Pick<MergedTree, 'parent'>} tree
 * @param {Pick<Parameters<typeof findViews>[1], 'identityOf' | 'lineOf'> & {leads: (node: number) => boolean}} about
 * @returns {(node: number) => boolean} whether such a line calls the function, as far as several show it
 */
function findCallLines({ parent }, { identityOf, lineOf, leads }) {
  /** by caller, then by line @type {Map<number, Map<number, number>>} */
  const weights = new Map();
  for (const [node, above] of parent.entries()) {
    if (identityOf(node)?.origin !== 'user' && !leads(node)) continue;
    const lines = entryOf(weights, above, () => new Map());
    addTo(lines, lineOf(node), leads(node) ? ROUTED : 1);
  }
  return node => {
    const lines = weights.get(parent[node] ?? -1) ?? new Map();
    const most = Math.max(...lines.values());
    return most < 2 || lines.get(lineOf(node)) === most;
  };
}

/** Does it run a plain `def` of an ASGI framework in a thread, outside of the event loop? @param {FrameIdentity} identity */
export const isHandOver = ({ path, name, qualified }) =>
  HAND_OVER.test(`${path} ${name}`) || HAND_OVER.test(`${path} ${qualified}`);

/** A frame is at many nodes. @type {WeakMap<FrameIdentity, boolean>} */
const dispatchers = new WeakMap();

/** @param {FrameIdentity} identity */
export const isDispatcher = identity =>
  entryOf(dispatchers, identity, () => {
    const { path, name, qualified } = identity;
    return DISPATCHERS.some(one => one.test(`${path} ${name}`) || one.test(`${path} ${qualified}`));
  });

/** Is it named like what a decorator puts in place of a view? @param {FrameIdentity} identity */
export const isWrapper = ({ name, qualified, origin }) =>
  WRAPPER.test(name) && (origin !== 'user' || CLOSURE.test(qualified) || !qualified.includes('.'));

/** Is it perhaps around views: also an object that is called, or a function of a middleware? @param {FrameIdentity} identity */
export const isAround = identity =>
  isWrapper(identity) || AROUND.test(`${identity.path} ${identity.qualified}`);

/** Does it sit between a framework and a view, and only call the view? @param {FrameIdentity} identity */
export const isBridge = ({ path, origin }) =>
  origin === 'native' ||
  /^(?:functools|contextlib|asgiref\/sync|flask\/(?:app|views))\.py$/.test(path);

// Which frame is the view: what a framework calls for a route. Rules are data.

/**
 * Frames that call a view: path and name of the function, qualified or not. The function that they call, through
 * decorators, is the view. A plain `def` of FastAPI runs in a thread.
 */
const DISPATCHERS = Object.freeze([
  /^flask\/app\.py dispatch_request$/,
  /^flask\/views\.py (?:view|dispatch_request)$/,
  /^(?:flask_restx|flask_restplus)\/(?:api|resource)\.py (?:wrapper|dispatch_request)$/,
  /^flask_restful\/__init__\.py (?:wrapper|dispatch_request)$/,
  /^flask_classful\.py (?:proxy|make_proxy_method)$/,
  /^flask_socketio\/__init__\.py _handle_event$/,
  /^django\/core\/handlers\/base\.py _get_response(?:_async)?$/,
  /^fastapi\/routing\.py run_endpoint_function$/,
  /^(?:starlette|fastapi)\/(?:routing|endpoints)\.py (?:app|dispatch)$/,
  /^fastapi\/telemetry\/_api\.py _run_sync_endpoint$/,
  /^anyio\/_backends\/_asyncio\.py WorkerThread\.run$/,
  /^asgiref\/sync\.py thread_handler$/,
  /^django\/views\/generic\/base\.py (?:view|dispatch)$/,
  /^rest_framework\/(?:views|viewsets|decorators)\.py (?:view|dispatch|handler)$/,
]);

const HAND_OVER =
  /^(?:anyio\/_backends\/_asyncio\.py WorkerThread\.run|fastapi\/telemetry\/_api\.py _run_sync_endpoint|asgiref\/sync\.py thread_handler)$/;

/** Names of the functions that decorators put in place of a view. */
const WRAPPER =
  /^(?:.*_)?(?:wrap(?:per|ped|s)?|inner|decorat(?:or|ed))(?:_.*)?$|^(?:wrapped_view|view_wrapper|_view_wrapper|new_func|wrapt|__call__|proxy|f|fn|func|_)$/;

const AROUND = /\.__a?call__$|(?:^|\/)middlewares?(?:\.py|\/\S+) (?:\w+\.<locals>\.)*\w+$/;
/** Does Django call it where it calls views? @param {FrameIdentity | undefined} identity */
export const isHook = identity =>
  /^process_(?:view|exception|template_response)$/.test(identity?.name ?? '');

/** A function made by another one: a decorator's, or a view inside an application factory. */
const CLOSURE = /<locals>\.[^.]+$/;
