/** What the gate asks of GitHub and GitLab, by a real HTTP server on this machine that keeps comments. */
import http from 'node:http';
import { listen } from '../helpers/listen.js';

/** @typedef {{id: number, body: string, user: {id: number, type: string}, author: {id: number}}} Comment */

/**
 * @typedef {object} FakeServer
 * @property {string} url
 * @property {Comment[]} comments
 * @property {string[]} requests `POST /repos/…`
 * @property {(body: string, authorId: number) => void} write a comment of somebody else
 */

const OWN_ID = 7;

/**
 * @param {{after: (end: () => unknown) => void}} t
 * @param {{tellsSelf?: boolean, refuses?: boolean, pulls?: object[], token?: string}} [options] `tellsSelf`: GitHub
 *   does not tell a workflow's own token who it is; `refuses`: writing is not allowed
 * @returns {Promise<FakeServer>}
 */
export async function startFakeServer(t, options = {}) {
  const { tellsSelf = false, refuses = false, pulls = [], token = 'secret-token' } = options;
  /** @type {Comment[]} */
  const comments = [];
  /** @type {string[]} */
  const requests = [];
  const write = (/** @type {string} */ body, /** @type {number} */ author) => {
    const user = { id: author, type: author === OWN_ID ? 'Bot' : 'User' };
    comments.push({ id: 100 + comments.length, body, user, author: { id: author } });
  };
  const server = http.createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://fake');
    requests.push(`${request.method} ${pathname}`);
    const say = (/** @type {number} */ status, /** @type {unknown} */ value) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    const given = request.headers['private-token'] ?? request.headers.authorization;
    if (given !== token && given !== `Bearer ${token}`) return say(401, { message: 'Bad token' });
    if (pathname.endsWith('/user'))
      return tellsSelf ? say(200, { id: OWN_ID }) : say(403, { message: 'Not for integrations' });
    if (pathname.endsWith('/pulls')) return say(200, pulls);
    if (request.method === 'GET') {
      const at = (Number(searchParams.get('page')) - 1) * 100;
      return say(200, comments.slice(at, at + 100));
    }
    if (refuses) return say(403, { message: 'Resource not accessible by integration' });
    let text = '';
    for await (const chunk of request) text += chunk;
    const { body } = JSON.parse(text);
    if (request.method === 'POST') {
      write(body, OWN_ID);
      return say(201, comments.at(-1));
    }
    const id = Number(pathname.split('/').at(-1));
    const found = comments.find(comment => comment.id === id);
    if (found) found.body = body;
    return say(found ? 200 : 404, found ?? { message: 'Not Found' });
  });
  const url = await listen(t, server);
  return { url, comments, requests, write };
}
