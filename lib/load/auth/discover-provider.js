/** Reads the discovery document of an identity provider. */

import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import * as oidc from 'openid-client';
import { LoadflameError } from '../../base/errors.js';
import { readBeginning } from '../../base/files/read-body.js';
import { fetchByProxy } from '../../base/process/proxies.js';
import { readDiscoveryError } from './read-oidc-error.js';

/** @import { AuthConfig } from './auth-config.js' */

/** A provider that takes longer for one response counts as unavailable. */
const TIMEOUT_SEC = 20;
/** Discovery documents and tokens have a few KB. */
const MOST_ANSWER_BYTES = 1e6;

/**
 * @typedef {object} Provider
 * @property {oidc.Configuration} configuration of openid-client, for the flows
 * @property {'https' | 'loopback' | 'private'} transport
 * @property {(url: URL, init: RequestInit) => Promise<Response>} fetch with our time limit, aborted by `signal`
 */

/**
 * @param {Pick<AuthConfig, 'issuer' | 'clientId' | 'clientSecret'> & {hosts?: string | null}} authConfig
 * @param {{signal?: AbortSignal}} [options] `signal` aborts every current and future request to the provider
 * @returns {Promise<Provider>}
 * @throws {import('../../base/errors.js').LoadflameError} OIDC_DISCOVERY_FAILED, OIDC_INSECURE_ISSUER
 */
export async function discoverProvider(authConfig, { signal } = {}) {
  const { issuer, clientId, clientSecret } = authConfig;
  const transport = await checkIssuer(issuer);
  /** @type {oidc.CustomFetch} */
  const fetchUntil = async (url, options) => {
    const init = { ...options, signal: join(options.signal, signal) };
    return readAnswer(await fetchByProxy(url, /** @type {RequestInit} */ (init)));
  };
  const authenticate = authenticateClient(clientSecret);
  const configuration = await oidc
    .discovery(new URL(issuer), clientId, clientSecret ?? undefined, authenticate, {
      timeout: TIMEOUT_SEC,
      [oidc.customFetch]: fetchUntil,
      // Marked as deprecated only to draw attention; `checkIssuer` has checked the address.
      execute: transport === 'https' ? [] : [oidc.allowInsecureRequests],
    })
    .catch(error => {
      throw readDiscoveryError(error, issuer);
    });
  await checkEndpoints(configuration.serverMetadata(), authConfig);
  return {
    configuration,
    transport,
    fetch: (url, init) =>
      fetchByProxy(url, { ...init, signal: join(AbortSignal.timeout(TIMEOUT_SEC * 1000), signal) }),
  };
}

/** The same response with a limited body. @param {Response} response */
async function readAnswer(response) {
  const { text, isWhole } = await readBeginning(response.body, MOST_ANSWER_BYTES);
  if (!isWhole) throw new Error(`it responds with more than ${MOST_ANSWER_BYTES / 1e6} MB`);
  return new Response(text || null, response);
}

/** Endpoints that receive a password, the client secret, a code or a token. */
const ENDPOINTS = /** @type {const} */ (['token_endpoint', 'authorization_endpoint']);

/**
 * The provider controls the document, which decides where the login goes. Only the provider itself and hosts that the
 * user named are allowed, with equal transport security.
 * @param {oidc.ServerMetadata} metadata
 * @param {{issuer: string, hosts?: string | null}} authConfig
 * @throws {LoadflameError} OIDC_ENDPOINT_ELSEWHERE, OIDC_INSECURE_ISSUER
 */
async function checkEndpoints(metadata, { issuer, hosts }) {
  const allowed = (hosts ?? '').split(',').map(host => host.trim());
  const { origin, protocol } = new URL(issuer);
  for (const name of ENDPOINTS) {
    const endpoint = metadata[name];
    if (endpoint === undefined) continue;
    const url = URL.canParse(endpoint) ? new URL(endpoint) : null;
    if (url?.origin === origin) continue;
    const isSafe = url !== null && (url.protocol === 'https:' || protocol === 'http:');
    if (!isSafe || !allowed.includes(url.host)) {
      const host = url?.host ?? endpoint;
      throw new LoadflameError('OIDC_ENDPOINT_ELSEWHERE', { issuer, name, endpoint, host });
    }
    await checkIssuer(endpoint);
  }
}

/**
 * The authentication method that the provider accepts. HTTP Basic is the default for registered clients (OpenID
 * Connect Discovery, section 3), while openid-client by default sends the secret in the body.
 * @param {string | null} secret
 * @returns {oidc.ClientAuth}
 */
function authenticateClient(secret) {
  if (secret === null) return oidc.None();
  return (server, ...request) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const isBasic = methods.includes('client_secret_basic');
    const authenticate = isBasic ? oidc.ClientSecretBasic : oidc.ClientSecretPost;
    return authenticate(secret)(server, ...request);
  };
}

/** @param {AbortSignal | undefined} own @param {AbortSignal | undefined} outer */
function join(own, outer) {
  const signals = [own, outer].filter(signal => signal !== undefined);
  return AbortSignal.any(signals);
}

// -- Passwords and tokens use `http://` only where no outsider can listen.

/** 127/8 and ::1. */
const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Private and link-local networks: RFC 1918, RFC 6598 (pods of some clusters), RFC 3927, RFC 4193. */
const PRIVATE = new BlockList();
PRIVATE.addSubnet('10.0.0.0', 8, 'ipv4');
PRIVATE.addSubnet('172.16.0.0', 12, 'ipv4');
PRIVATE.addSubnet('192.168.0.0', 16, 'ipv4');
PRIVATE.addSubnet('100.64.0.0', 10, 'ipv4');
PRIVATE.addSubnet('169.254.0.0', 16, 'ipv4');
PRIVATE.addSubnet('fc00::', 7, 'ipv6');
PRIVATE.addSubnet('fe80::', 10, 'ipv6');

/**
 * @param {string} issuer
 * @returns {Promise<'https' | 'loopback' | 'private'>} how the connection is protected
 * @throws {LoadflameError} OIDC_INSECURE_ISSUER for plain HTTP to a public address
 */
export async function checkIssuer(issuer) {
  const transport = await findTransport(issuer);
  if (transport !== 'public') return transport;
  throw new LoadflameError('OIDC_INSECURE_ISSUER', { issuer, host: new URL(issuer).hostname });
}

/**
 * @param {string} address
 * @returns {Promise<'https' | 'loopback' | 'private' | 'public'>} public: anyone in between can read it
 */
export async function findTransport(address) {
  const { protocol, hostname } = new URL(address);
  if (/^(https|wss):$/.test(protocol)) return 'https';
  const host = hostname.replace(/^\[|\]$/g, '');
  // If a name cannot be resolved, the discovery itself reports why.
  const found = await lookup(host, { all: true }).catch(() => []);
  const addresses = found.map(({ address }) => address);
  if (addresses.every(address => isIn(LOOPBACK, address))) return 'loopback';
  if (addresses.every(address => isIn(LOOPBACK, address) || isIn(PRIVATE, address)))
    return 'private';
  return 'public';
}

/** @param {BlockList} list @param {string} address */
function isIn(list, address) {
  return list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}
