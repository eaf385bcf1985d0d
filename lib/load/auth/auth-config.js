/** The settings needed to obtain tokens, as a plain object. */
import { readFileSync } from 'node:fs';
import parseCsv from 'csv-parse/lib/sync.js';
import { LoadflameError } from '../../base/errors.js';

/** @import { Config } from '../../base/config/read-config.js' */

/** @typedef {'password' | 'client_credentials' | 'authorization_code'} Flow */
/** @typedef {{username: string, password: string}} User */

/**
 * @typedef {object} AuthConfig
 * @property {string} issuer base URL of the identity provider, exactly as the provider names itself
 * @property {Flow} flow
 * @property {string} clientId
 * @property {string | null} clientSecret null for a public client
 * @property {string | null} scope
 * @property {string | null} audience the API that the tokens are for, if the provider requires it
 * @property {string | null} redirectUri registered for the client; authorization_code only
 * @property {User[]} users empty for client_credentials
 * @property {string | null} [hosts] further hosts that the login may use, separated by commas
 * @property {'shared' | 'per-user'} mode `shared`: all virtual users share the token of the first user
 */

/**
 * @param {Config} config
 * @returns {AuthConfig | null} null if no identity provider is configured
 * @throws {import('../../base/errors.js').LoadflameError} SETTING_MISSING, OIDC_USERS_FILE
 */
export function readAuthConfig(config) {
  const issuer = config.get('OIDC_ISSUER');
  if (issuer === null) return null;
  /** @type {Flow} */
  const flow = config.get('OIDC_FLOW');
  const isOfClient = flow === 'client_credentials';
  const file = isOfClient ? null : config.get('OIDC_USERS');
  return {
    issuer,
    flow,
    clientId: config.require('OIDC_CLIENT_ID'),
    clientSecret: isOfClient
      ? config.require('OIDC_CLIENT_SECRET')
      : config.get('OIDC_CLIENT_SECRET'),
    scope: config.get('OIDC_SCOPE'),
    audience: config.get('OIDC_AUDIENCE'),
    redirectUri: config.get('OIDC_REDIRECT_URI'),
    users: isOfClient ? [] : file ? readUsers(file) : [readSingleUser(config)],
    hosts: config.get('OIDC_HOSTS'),
    mode: file ? 'per-user' : 'shared',
  };
}

/** @param {Config} config @returns {User} */
function readSingleUser(config) {
  return { username: config.require('OIDC_USERNAME'), password: config.require('OIDC_PASSWORD') };
}

// -- Reads the CSV file of users that `OIDC_USERS` names.

const COLUMNS = ['username', 'password'];
const CSV = { bom: true, relax_column_count: true, skip_empty_lines: true };

/**
 * Accepts quoted values, CRLF and a byte order mark, and ignores other columns. Values are used unchanged, including
 * spaces, which may be part of a password.
 * @param {string} file
 * @returns {User[]} at least one
 * @throws {LoadflameError} OIDC_USERS_FILE
 */
export function readUsers(file) {
  const [header, ...rows] = parse(file, read(file));
  const names = (header?.cells ?? []).map(name => name.trim().toLowerCase());
  const [username = -1, password = -1] = COLUMNS.map(column => names.indexOf(column));
  if (username < 0 || password < 0) throw refuse(file, 'its first row is not username,password');
  if (rows.length === 0) throw refuse(file, 'it has no users below its first row');
  /** @type {Map<string, number>} */
  const seen = new Map();
  return rows.map(({ cells, line }) => {
    if (cells.length !== names.length) {
      const reason = `line ${line} has ${cells.length} values instead of ${names.length}`;
      throw refuse(file, `${reason} (a value with a comma or a quote needs quotes around it)`);
    }
    const user = { username: cells[username] ?? '', password: cells[password] ?? '' };
    if (user.username === '') throw refuse(file, `line ${line} has no username`);
    if (user.password === '') throw refuse(file, `line ${line} has no password`);
    const before = seen.get(user.username);
    if (before !== undefined) throw refuse(file, `lines ${before} and ${line} name the same user`);
    seen.set(user.username, line);
    return user;
  });
}

/** @param {string} file */
function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (cause);
    throw refuse(file, code === 'ENOENT' ? 'there is no such file' : message, cause);
  }
}

/**
 * @param {string} file @param {string} text
 * @returns {{cells: string[], line: number}[]}
 */
function parse(file, text) {
  try {
    /** @type {{record: string[], info: {lines: number}}[]} */
    const records = parseCsv(text, { ...CSV, info: true });
    return records.map(({ record, info }) => ({ cells: record, line: info.lines }));
  } catch (cause) {
    // The parser's message may quote the row, but a password must never be displayed.
    const { lines, code } = /** @type {{lines?: number, code?: string}} */ (cause);
    const where = lines === undefined ? 'a line' : `line ${lines}`;
    throw refuse(file, `${where} is not CSV (${code ?? 'malformed'})`);
  }
}

/**
 * @param {string} file
 * @param {string} reason
 * @param {unknown} [cause]
 */
function refuse(file, reason, cause) {
  return new LoadflameError('OIDC_USERS_FILE', { file, reason }, { cause });
}
