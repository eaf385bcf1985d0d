/** Which frame is the view: what a framework calls for a route. Rules are data. */

/**
 * Frames that call a view, by module path and the name of the function. What they call, through
 * decorators, is the view.
 * @type {readonly {file: RegExp, functions: readonly string[]}[]}
 */
export const DISPATCHERS = Object.freeze([
  { file: /^flask\/app\.py$/, functions: ['dispatch_request'] },
  // class-based views
  { file: /^flask\/views\.py$/, functions: ['view', 'dispatch_request'] },
  {
    file: /^(?:flask_restx|flask_restplus)\/(?:api|resource)\.py$/,
    functions: ['wrapper', 'dispatch_request'],
  },
  { file: /^flask_restful\/__init__\.py$/, functions: ['wrapper', 'dispatch_request'] },
  { file: /^flask_classful\.py$/, functions: ['proxy', 'make_proxy_method'] },
  { file: /^flask_socketio\/__init__\.py$/, functions: ['_handle_event'] },
  { file: /^django\/core\/handlers\/base\.py$/, functions: ['_get_response'] },
  { file: /^django\/views\/generic\/base\.py$/, functions: ['view', 'dispatch'] },
  {
    file: /^rest_framework\/(?:views|viewsets|decorators)\.py$/,
    functions: ['view', 'dispatch', 'handler'],
  },
]);

/** Names of the functions that decorators put in a view's place. */
export const WRAPPER =
  /^(?:.*_)?(?:wrap(?:per|ped)?|inner|decorat(?:or|ed))(?:_.*)?$|^(?:wrapped_view|view_wrapper|_view_wrapper|new_func|wrapt|__call__|proxy|f|fn|func|_)$/;

/** A function that another one made: a decorator's, or a view inside of an application factory. */
export const CLOSURE = /<locals>\.[^.]+$/;
