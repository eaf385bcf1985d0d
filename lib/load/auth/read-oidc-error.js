/** The only place that interprets errors of identity providers and openid-client. */
import * as oidc from 'openid-client';
import { fillGaps, LoadflameError } from '../../base/errors.js';
import { cutText, plainLine } from '../../base/files/plain-text.js';

/** @import { AuthConfig, User } from './auth-config.js' */

/**
 * @typedef {object} Refusal
 * @property {string} error OAuth error code, `invalid_grant`
 * @property {string} description additional text of the provider, or ''
 */

/** Maximum length of a provider's text on screen. */
const MAX_REASON_LENGTH = 300;

/**
 * Refusals of the token and authorization endpoints, the most specific first. `hint` replaces the one in the table of
 * errors if more is known. Descriptions are those of Keycloak (26) and oidc-provider.
 * @type {{error: RegExp, description?: RegExp, code: string, hint?: string}[]}
 */
const REFUSALS = [
  {
    error: /^unauthorized_client$/,
    description: /direct access grants/i,
    code: 'OIDC_CLIENT_REFUSED',
    hint: 'switch on "Direct access grants" for the client {clientId} in Keycloak, or set OIDC_FLOW=authorization_code',
  },
  {
    error: /^unauthorized_client$/,
    description: /service account/i,
    code: 'OIDC_CLIENT_REFUSED',
    hint: 'switch on "Client authentication" and "Service accounts roles" for the client {clientId} in Keycloak, or choose another OIDC_FLOW',
  },
  {
    error: /^(unauthorized_client|invalid_request)$/,
    description: /standard flow|(grant|response) type is not allowed|not allowed .*(grant|flow)/i,
    code: 'OIDC_CLIENT_REFUSED',
    hint: 'allow the flow {flow} for the client {clientId} at the identity provider (Keycloak: "Standard flow"), or set another OIDC_FLOW',
  },
  { error: /^(invalid_client|unauthorized_client)$/, code: 'OIDC_CLIENT_REFUSED' },
  { error: /^(unsupported_grant_type|unsupported_response_type)$/, code: 'OIDC_FLOW_UNSUPPORTED' },
  {
    error: /^invalid_grant$/,
    description: /disabled/i,
    code: 'OIDC_LOGIN_REFUSED',
    hint: 'enable the account at the identity provider, or name another user in {where}; after too many wrong passwords Keycloak disables accounts for a while',
  },
  {
    error: /^invalid_grant$/,
    description: /not fully set up/i,
    code: 'OIDC_LOGIN_REFUSED',
    hint: 'log in as this user once in a browser and do what is asked (new password, e-mail, profile), or remove its required actions in Keycloak',
  },
  { error: /^(invalid_grant|access_denied)$/, code: 'OIDC_LOGIN_REFUSED' },
  {
    error: /^invalid_scope$/,
    code: 'OIDC_TOKEN_FAILED',
    hint: 'set OIDC_SCOPE to scopes that the client {clientId} may ask for; now it is "{scope}"',
  },
  {
    error: /^invalid_target$/,
    code: 'OIDC_TOKEN_FAILED',
    hint: 'set OIDC_AUDIENCE to an API that the identity provider knows; now it is "{audience}"',
  },
];

/**
 * @param {unknown} error of a flow
 * @param {AuthConfig} authConfig
 * @param {User} [user] who logged in
 * @returns {LoadflameError} OIDC_LOGIN_REFUSED, OIDC_CLIENT_REFUSED, OIDC_FLOW_UNSUPPORTED or
 *   OIDC_TOKEN_FAILED; our own errors are returned unchanged
 */
export function readTokenError(error, authConfig, user) {
  if (error instanceof LoadflameError) return error;
  const data = {
    ...describe(authConfig),
    user: user ? `user ${user.username}` : `client ${authConfig.clientId}`,
  };
  const refusal = readRefusal(error);
  const failed = 'OIDC_TOKEN_FAILED';
  if (!refusal) {
    const reason = readReason(error);
    return new LoadflameError(failed, { ...data, reason }, { cause: error });
  }
  const rule = REFUSALS.find(
    each => each.error.test(refusal.error) && (each.description?.test(refusal.description) ?? true),
  );
  const reason = shorten([refusal.error, refusal.description].filter(Boolean).join(': '));
  const hint = rule?.hint && fillGaps(rule.hint, data);
  const about = { ...data, reason, oauthError: refusal.error };
  return new LoadflameError(rule?.code ?? failed, about, { cause: error, hint });
}

/**
 * @param {unknown} error of the discovery
 * @param {string} issuer
 */
export function readDiscoveryError(error, issuer) {
  const { reason, hint } = explainDiscovery(error, issuer);
  return new LoadflameError('OIDC_DISCOVERY_FAILED', { issuer, reason }, { cause: error, hint });
}

/**
 * Whether a later attempt may succeed: no connection, a server error, too many requests. A refusal is final, because
 * repeating a wrong password locks the account.
 * @param {LoadflameError} error
 */
export function isTransient(error) {
  return (
    error.code === 'OIDC_TOKEN_FAILED' &&
    (error.data.oauthError === undefined ||
      /^(temporarily_unavailable|server_error|slow_down)$/.test(String(error.data.oauthError)))
  );
}

/** Errors of the connection. @type {[RegExp, hint: string][]} */
const UNREACHED = [
  [
    /self.signed|certificate|issuer cert/i,
    'name the CA that signed it with NODE_EXTRA_CA_CERTS=<file.pem>, or use those of the system with NODE_OPTIONS=--use-system-ca',
  ],
  [
    /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|timed out|TIMEOUT|UNREACH|ECONNRESET/i,
    'check host and port of OIDC_ISSUER, and that the identity provider runs and can be reached from this machine (VPN, proxy)',
  ],
];

/** @param {unknown} error @param {string} issuer @returns {{reason: string, hint?: string | undefined}} */
function explainDiscovery(error, issuer) {
  const cause = /** @type {any} */ (error)?.cause;
  const code = /** @type {any} */ (error)?.code;
  if (cause?.attribute === 'issuer' && typeof cause.body?.issuer === 'string') {
    return {
      reason: `it calls itself ${shorten(cause.body.issuer)}`,
      hint: `set OIDC_ISSUER=${shorten(cause.body.issuer)}: issuer, tokens and API must use one and the same string`,
    };
  }
  if (cause instanceof Response) {
    const { status } = cause;
    return {
      reason: `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration responds with status ${status}${code === 'OAUTH_RESPONSE_IS_NOT_JSON' ? ' and no JSON' : ''}`,
      ...(status >= 500 ? { hint: 'try again when the identity provider is up and healthy' } : {}),
    };
  }
  const reason = readReason(error);
  const [, hint] = UNREACHED.find(([pattern]) => pattern.test(reason)) ?? [];
  return { reason, hint };
}

/** @param {unknown} error @returns {Refusal | null} */
function readRefusal(error) {
  if (error instanceof oidc.ResponseBodyError || error instanceof oidc.AuthorizationResponseError)
    return { error: error.error, description: error.error_description ?? '' };
  if (error instanceof oidc.WWWAuthenticateChallengeError) {
    const parameters = error.cause.find(({ parameters }) => parameters.error)?.parameters;
    // Some providers respond to a wrong client secret with only a challenge.
    const { error: code = 'invalid_client', error_description = '' } = parameters ?? {};
    return { error: code, description: error_description };
  }
  return null;
}

/**
 * The innermost cause is the most informative: fetch itself only says "fetch failed".
 * @param {unknown} error
 */
function readReason(error) {
  let inner = /** @type {any} */ (error);
  for (let depth = 0; depth < 5 && inner?.cause instanceof Error; depth++) inner = inner.cause;
  if (inner?.cause instanceof Response) return `it responded with status ${inner.cause.status}`;
  const first = inner instanceof AggregateError ? (inner.errors[0] ?? inner) : inner;
  const code = typeof first?.code === 'string' ? first.code : '';
  const message = String(first?.message || code || first);
  return shorten(
    code.startsWith('OAUTH_') || message.includes(code) ? message : `${message} (${code})`,
  );
}

/** @param {AuthConfig} authConfig */
function describe({ issuer, clientId, flow, scope, audience, mode }) {
  return {
    issuer,
    clientId,
    flow,
    scope: scope ?? '',
    audience: audience ?? '',
    where: nameCredentials({ mode }),
  };
}

/** Where the user name and the password come from. @param {Pick<AuthConfig, 'mode'>} authConfig */
export const nameCredentials = ({ mode }) =>
  mode === 'per-user' ? 'the file of OIDC_USERS' : 'OIDC_USERNAME and OIDC_PASSWORD';

/** @param {string} text */
const shorten = text => cutText(plainLine(text), MAX_REASON_LENGTH);
