/** Reads the cases of the bench, and starts their apps. */
import { createHmac, randomBytes } from 'node:crypto';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { prepareVenv } from '../prepare-venv.js';
import { nameDatabase, startBeside } from '../shares/start-server.js';
import { serveApp, startOther } from '../start-app.js';

/** @import { AskedRequest, Case } from './case.d.ts' */
/** @typedef {{url: string, pid: number}} Side a server, and its first process */
/** @typedef {{isFixed: boolean, companion: boolean}} Variant */

/** Signs tokens: no file holds one. */
const KEY = randomBytes(32).toString('base64url');
const TOKEN = signToken({ alg: 'HS256', kid: 'one' }, { sub: 'reader', aud: 'features' });

/** @param {'known' | 'apart'} half @returns {string[]} ids */
export function listCases(half) {
  return globSync('*/case.json', { cwd: path.join(import.meta.dirname, half) })
    .map(file => path.dirname(file))
    .sort();
}

/** @param {string} folder of a case @returns {Case} */
export function readCase(folder) {
  const text = readFileSync(path.join(folder, 'case.json'), 'utf8');
  return JSON.parse(text.replace('{key}', KEY).replace('{token}', TOKEN));
}

/** @param {object} header @param {object} claims @returns {string} a JWT */
function signToken(header, claims) {
  const signed = [header, claims]
    .map(part => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const key = Buffer.from(KEY, 'base64url');
  return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`;
}

/** @param {Case} one @returns {Required<AskedRequest>[]} */
export function listRequests({ requests }) {
  return requests.map(request => ({
    method: 'GET',
    headers: {},
    json: null,
    ...(typeof request === 'string' ? { url: request } : request),
  }));
}

/** @param {string} folder @returns {string[]} `app.py:12` of each line at fault */
export function listMarks(folder) {
  const lines = readFileSync(path.join(folder, 'app.py'), 'utf8').split('\n');
  return lines.flatMap((line, at) => (/# CAUSE$/.test(line) ? [`app.py:${at + 1}`] : []));
}

/**
 * Starts an app once for each variant, side by side, with what it needs.
 * @template T
 * @param {string} folder @param {Variant[]} variants
 * @param {(sides: Side[]) => Promise<T>} use
 * @returns {Promise<T>}
 * @throws {Error} with the end of its log, if an app does not start
 */
export async function withApps(folder, variants, use) {
  const one = readCase(folder);
  const python = prepareVenv('replay', path.join(import.meta.dirname, 'requirements.in'));
  const work = mkdtempSync(path.join(tmpdir(), 'replay-'));
  /** @type {(() => Promise<unknown>)[]} */
  const stops = [async () => rmSync(work, { recursive: true, force: true })];
  try {
    const beside = await startBeside({ needs: one.needs ?? null }, python, work);
    stops.push(beside.stop);
    const other = one.other && (await startOther(python, { answers: one.other }));
    if (other) stops.push(other.stop);
    const sides = [];
    for (const [index, variant] of variants.entries()) {
      const env = {
        ...(other && { OTHER: other.url }),
        ...nameDatabase(beside.env, index),
        FOLDER: mkdtempSync(path.join(work, 'app-')),
      };
      sides.push(await startSide(variant, env));
    }
    return await use(sides);
  } finally {
    for (const stop of stops.reverse()) await stop();
  }

  /** @param {Variant} variant @param {Record<string, string>} own @returns {Promise<Side>} */
  async function startSide({ isFixed, companion }, own) {
    const { url, pid, stop } = await serveApp(python, one.server, {
      cwd: folder,
      companion,
      env: { ...own, ...(isFixed && { FIXED: '1' }) },
      log: path.join(work, 'app.log'),
    });
    stops.push(stop);
    return { url, pid };
  }
}
