import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { buildFlow } from '../../../lib/load/traffic/capture-values.js';
import { readHar } from '../../../lib/load/traffic/read-har.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

export const T0_MS = Date.UTC(2026, 10, 20, 14);
export const APP = 'https://shop.example.com';
const fields = (/** @type {Record<string, string | string[]>} */ map) =>
  Object.entries(map).flatMap(([name, values]) => [values].flat().map(value => ({ name, value })));

/**
 * @typedef {object} Made
 * @property {string} [url]
 * @property {string} [method]
 * @property {Record<string, string>} [sent] headers
 * @property {any} [form] @property {any} [json] @property {any} [postData]
 * @property {number} [status]
 * @property {Record<string, string | string[]>} [answered] headers
 * @property {any} [data] @property {string} [html]
 * @property {number} [atMs]
 */

/**
 * The script of a recording in which requests are one second apart, 100 ms long.
 * @param {import('node:test').TestContext} t @param {Made[]} made
 */
export function record(t, made) {
  const file = path.join(makeTempFolder(t), 'session.har');
  const entries = made.map((one, at) => {
    const {
      url = '/',
      method = 'GET',
      sent = {},
      form,
      json,
      status = 200,
      answered = {},
      data,
      html,
    } = one;
    const postData = form
      ? { mimeType: 'application/x-www-form-urlencoded', text: `${new URLSearchParams(form)}` }
      : json && { mimeType: 'application/json', text: JSON.stringify(json) };
    return {
      startedDateTime: new Date(T0_MS + (one.atMs ?? at * 1000)).toISOString(),
      time: 100,
      request: {
        method,
        url: url.startsWith('/') ? APP + url : url,
        headers: fields({ 'User-Agent': 'Firefox', Accept: '*/*', ...sent }),
        postData: one.postData ?? postData,
      },
      response: {
        status,
        headers: fields(answered),
        content: html
          ? { mimeType: 'text/html; charset=utf-8', text: html }
          : { mimeType: 'application/json', text: JSON.stringify(data ?? {}) },
      },
    };
  });
  writeFileSync(file, JSON.stringify({ log: { entries: entries.toReversed() } }));
  const session = readHar(file);
  return { session, ...buildFlow(session) };
}
