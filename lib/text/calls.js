/** Names of statements and other calls. Their text comes from outside, without values. */
import { formatPlace } from '../base/format.js';

/** @import { Act, StatementName } from '../run/facts/calls.d.ts' */

/** @type {Partial<Record<StatementName['kind'], string>>} */
const CALLED = { sql: 'the database', redis: 'Redis', mongodb: 'MongoDB', http: 'another service' };
const KINDS = { sql: 'SQL', redis: 'Redis', mongodb: 'MongoDB', http: 'HTTP', connect: 'connect' };

/** The full text of a call. @param {Pick<StatementName, 'text'>} call */
export const nameCall = ({ text }) => text ?? 'not known';

/** "SELECT … FROM items WHERE items.order_id = ?", without the columns. @param {Pick<StatementName, 'text'>} call */
export const shortenCall = call =>
  nameCall(call)
    .replace(/\s+/g, ' ')
    .replace(/^(SELECT(?: DISTINCT)?) .{6,}? FROM /i, '$1 … FROM ');

/**
 * The short texts of calls. Where two are the same, they begin at the first difference: "SELECT … item.body FROM item".
 * @param {readonly Pick<StatementName, 'text'>[]} calls
 */
export function createShortener(calls) {
  const alike = Map.groupBy(new Set(calls.map(nameCall)), text => shortenCall({ text }));
  return (/** @type {Pick<StatementName, 'text'>} */ call) => {
    const short = shortenCall(call);
    const other = alike.get(short)?.find(text => text !== nameCall(call));
    const others = other?.split(/\s+/) ?? [];
    const [first, ...words] = nameCall(call).split(/\s+/);
    const same = words.findIndex((word, at) => word !== others[at + 1]);
    return other ? `${first} … ${words.slice(Math.max(0, same)).join(' ')}` : short;
  };
}

/** The line that sends it. @param {Pick<StatementName, 'file' | 'line'>} call @returns {string | null} */
export const nameCaller = ({ file, line }) => (file === null ? null : formatPlace({ file, line }));

/** "Redis", "payments.example" @param {Pick<StatementName, 'kind' | 'text'>} call */
export function nameCalled({ kind, text }) {
  // "GET payments.example/charges"
  const host = kind === 'http' && /^(?:[A-Z]+ )?(?:https?:\/\/)?([^/\s]+)/.exec(text ?? '')?.[1];
  return host || (CALLED[kind] ?? 'a server');
}

/** "PostgreSQL" as drivers call it, or the kind of call. @param {Pick<StatementName, 'kind' | 'system'>} call */
export const nameKind = ({ kind, system }) => (kind === 'sql' && system) || KINDS[kind];

/**
 * How long a request waits for calls at most: those at the same time are summed, and all end before the response.
 * @param {number} ms of all its calls @param {number | null} serverMs the request's time in the server
 */
export const waitOf = (ms, serverMs) => Math.min(ms, serverMs ?? ms);

/** @type {Record<Act['kind'], [does: string, advice: string]>} */
export const ACTS = {
  file: ['opens files again', 'Read each once, at start or when it has changed, and keep it.'],
  folder: ['walks through the same folders', 'Keep the list, or leave folders out on the way.'],
  import: [
    'imports a module',
    'Import it once. Python does not remember a module that it did not find.',
  ],
  compile: ['compiles code', 'Make the class, template or expression once, at module level.'],
  process: ['starts a process', 'Call a library instead, or keep one process for many requests.'],
  thread: ['starts threads', 'Keep one pool. If a library starts it, see its settings.'],
  lookup: ['looks up a host', 'Keep connections open, with one client. Keep names of hosts.'],
  tls: ['makes a TLS context', 'Make one client per process, at start, for all requests.'],
  engine: ['makes a database engine', 'Make one per process, at start, for all requests.'],
};
