/**
 * `node ci/comment.js`: posts the result of a gate to its pull request or merge request, or updates its earlier
 * comment. It never fails a build: only the measurement does. It runs in a job of its own, on a machine where no code
 * of the change has run.
 *
 * Environment variables, beside those of the build server:
 *   GATE_TOKEN   may write comments; without one nothing is posted
 *   GATE_NAME    name of this gate, for a repository with several
 *   GATE_FOLDER  folder with the gate.json of `ci/measure.js`
 */
import { existsSync, readFileSync } from 'node:fs';
import { readGate, renderGate } from './gate.js';

const TIMEOUT_MS = 30_000;
const PER_PAGE = 100;
const MOST_PAGES = 30;

const { env } = process;

/**
 * A comment as both servers have it.
 * @typedef {{id: number, body: string, user?: {id: number, type: string}, author?: {id: number}}} Comment
 */
/**
 * @typedef {object} Place where comments go
 * @property {string} comments address of the list
 * @property {(id: number) => string} comment address of one
 * @property {string} self address of the token's owner
 * @property {Record<string, string>} headers
 * @property {'PATCH' | 'PUT'} update
 */

/**
 * @param {Place} place @param {string} address @param {{method?: string, body?: string}} [request]
 * @returns {Promise<any>}
 */
async function ask({ headers }, address, { method = 'GET', body } = {}) {
  const response = await fetch(address, {
    method,
    headers: { ...headers, 'content-type': 'application/json', 'user-agent': 'loadflame' },
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(body !== undefined && { body: JSON.stringify({ body }) }),
  });
  if (!response.ok) {
    const said = /** @type {any} */ (await response.json().catch(() => null));
    const reason = `${response.status} ${said?.message ?? ''}`;
    throw new Error(`${method} ${new URL(address).pathname}: ${reason}`);
  }
  return response.json();
}

const FROM_FORK = '_These figures come from the run of a fork._\n\n';

function readEvent() {
  const file = env.GITHUB_EVENT_PATH;
  return file && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}

/** @returns {Promise<Place | string>} or why there is none */
async function findPlace() {
  const token = env.GATE_TOKEN;
  if (env.CI_MERGE_REQUEST_IID) {
    if (!token) return 'GATE_TOKEN is not set';
    const api = env.CI_API_V4_URL;
    const comments = `${api}/projects/${env.CI_MERGE_REQUEST_PROJECT_ID ?? env.CI_PROJECT_ID}/merge_requests/${env.CI_MERGE_REQUEST_IID}/notes`;
    return {
      ...{ comments, comment: id => `${comments}/${id}`, self: `${api}/user`, update: 'PUT' },
      headers: { 'private-token': token },
    };
  }
  const { pull_request: request, workflow_run: run } = readEvent();
  if (!request && !run) return 'this is not a pull request or merge request';
  if (request && request.head.repo?.full_name !== request.base.repo.full_name)
    return 'the pull request comes from a fork, whose token may not comment (docs/gate.md)';
  if (!token) return 'GATE_TOKEN is not set';
  const api = env.GITHUB_API_URL ?? 'https://api.github.com';
  const repository = `${api}/repos/${env.GITHUB_REPOSITORY}`;
  /** @type {Omit<Place, 'comments'>} */
  const place = {
    ...{ self: `${api}/user`, update: 'PATCH' },
    comment: id => `${repository}/issues/comments/${id}`,
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'application/vnd.github+json',
      'x-github-api-version': '2022-11-28',
    },
  };
  const number =
    request?.number ?? (await findRequest({ ...place, comments: '' }, repository, run));
  if (!number) return 'the run belongs to no open pull request';
  return { ...place, comments: `${repository}/issues/${number}/comments` };
}

/**
 * Finds the pull request of another workflow's run by what GitHub reports: the run itself cannot be trusted.
 * @param {Place} place @param {string} repository
 * @param {{head_branch: string, head_sha: string, head_repository: {owner: {login: string}}}} run
 * @returns {Promise<number | undefined>}
 */
async function findRequest(place, repository, { head_branch: branch, head_sha: sha, ...run }) {
  const head = encodeURIComponent(`${run.head_repository.owner.login}:${branch}`);
  const found = await ask(place, `${repository}/pulls?state=open&head=${head}`);
  return found.find((/** @type {any} */ one) => one.head.sha === sha)?.number;
}

/**
 * The comment of this gate: it begins with the mark, and was written with this token. Anyone can write the mark.
 * @param {Place} place @param {string} mark @returns {Promise<Comment | undefined>}
 */
async function findOwn(place, mark) {
  // GitHub does not identify the owner of a workflow's own token; its comments are a bot's.
  const self = await ask(place, place.self).catch(() => null);
  const isOwn = (/** @type {Comment} */ { user, author }) =>
    self ? (user ?? author)?.id === self.id : user?.type === 'Bot';
  for (let page = 1; page <= MOST_PAGES; page++) {
    /** @type {Comment[]} */
    const comments = await ask(place, `${place.comments}?per_page=${PER_PAGE}&page=${page}`);
    const own = comments.find(comment => comment.body?.startsWith(mark) && isOwn(comment));
    if (own || comments.length < PER_PAGE) return own;
  }
  return undefined;
}

/** Where the artifact is. */
function findRun() {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name, GITHUB_RUN_ID: id } = env;
  const own =
    env.CI_PIPELINE_URL ?? (server && name && id && `${server}/${name}/actions/runs/${id}`);
  return readEvent().workflow_run?.html_url ?? own;
}

/** @returns {Promise<string>} what was done */
async function comment() {
  const facts = readGate(env.GATE_FOLDER || 'loadflame-gate');
  const place = await findPlace();
  if (typeof place === 'string') return `no comment: ${place}`;
  const name = (env.GATE_NAME || 'loadflame').replace(/[^\w.-]/g, '-');
  const mark = `<!-- loadflame gate ${name} -->`;
  const isForeign = readEvent().workflow_run !== undefined;
  const body = `${mark}\n${isForeign ? FROM_FORK : ''}${renderGate(facts, findRun())}`;
  const own = await findOwn(place, mark);
  if (own) await ask(place, place.comment(own.id), { method: place.update, body });
  else await ask(place, place.comments, { method: 'POST', body });
  return own ? 'comment updated' : 'comment posted';
}

/** One line that GitHub cannot read as a command. @param {string} text */
const plain = text => text.replace(/[^\x20-\x7e…–→]+/g, ' ').slice(0, 500);

try {
  console.log(plain(await comment()));
} catch (error) {
  const { message } = /** @type {Error} */ (error);
  const line = plain(`no comment: ${message}`);
  console.log(env.GITHUB_ACTIONS ? `::warning::${line.replaceAll('%', '%25')}` : line);
}
