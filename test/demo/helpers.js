/** What several tests of the demo need: logging in, calling the API, looking for processes. */
import { listProcesses } from '../../lib/base/process/process-table.js';

/** A Monday at 10:00 on the clock of the offices. */
export const START = '2031-05-05T18:00:00Z';
export const END = '2031-05-05T18:15:00Z';

/** @typedef {import('../../demo/start.js').Demo} Demo */

/**
 * Posts a form to the token endpoint.
 * @param {string} issuer @param {Record<string, string>} form
 * @param {{id: string, secret: string}} [client] sent as HTTP Basic
 * @returns {Promise<{status: number, body: any}>}
 */
export function requestToken(issuer, form, client) {
  return postForm(`${issuer}/token`, form, client);
}

/**
 * @param {string} url @param {Record<string, string>} form
 * @param {{id: string, secret: string}} [client]
 * @returns {Promise<{status: number, body: any}>}
 */
export async function postForm(url, form, client) {
  /** @type {Record<string, string>} */
  const headers = {};
  if (client) {
    headers.authorization = `Basic ${Buffer.from(`${client.id}:${client.secret}`).toString('base64')}`;
  }
  const response = await fetch(url, {
    method: 'POST',
    headers,
    body: new URLSearchParams(form),
  });
  return { status: response.status, body: await response.json() };
}

/** @param {Demo} demo @returns {Promise<string>} an access token of the first user */
export async function login(demo) {
  const { body } = await requestToken(
    demo.issuer,
    {
      grant_type: 'password',
      username: demo.env.OIDC_USERNAME ?? '',
      password: demo.env.OIDC_PASSWORD ?? '',
      scope: 'openid',
    },
    { id: demo.env.OIDC_CLIENT_ID ?? '', secret: demo.env.OIDC_CLIENT_SECRET ?? '' },
  );
  return body.access_token;
}

/**
 * @param {Demo} demo @param {string} method @param {string} path below /api/v1
 * @param {{token?: string, body?: unknown}} [options]
 * @returns {Promise<{status: number, body: any}>}
 */
export async function callApi(demo, method, path, { token, body } = {}) {
  /** @type {Record<string, string>} */
  const headers = {};
  if (token) headers.authorization = `Bearer ${token}`;
  if (body !== undefined) headers['content-type'] = 'application/json';
  const response = await fetch(`${demo.apiUrl}/api/v1${path}`, {
    method,
    headers,
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, body: text ? JSON.parse(text) : undefined };
}

/**
 * @param {number[]} groups process group ids
 * @returns {number[]} pids that live in them; zombies do not count
 */
export function listProcessesOfGroups(groups) {
  return listProcesses()
    .filter(({ pgid, state }) => groups.includes(pgid) && state !== 'Z')
    .map(({ pid }) => pid);
}
