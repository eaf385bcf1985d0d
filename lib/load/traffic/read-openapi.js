/** Reads a description of an API (OpenAPI 3, Swagger 2): the requests that need no knowledge of its data. */
import { parseJson } from '../../base/files/parse-json.js';
import { isPlain, parseYaml } from '../../base/files/read-yaml.js';
import { decode } from '../../base/files/redaction.js';

/** @typedef {{operation: string, reason: string}} LeftOut */
/** `lost`: why a part of it is not in the description @typedef {{address: string, isComplete: boolean, lost?: string}} Read */

const CHANGES = 'it changes data, and its body is yours to write';
/** @type {Record<string, string>} */
const WRITES = { post: CHANGES, put: CHANGES, patch: CHANGES, delete: 'it deletes data' };
/** A circular reference has no end. */
const MOST_HOPS = 10;

/**
 * @param {string} text of the description
 * @param {string} url its address
 * @returns {{title: string, reads: Read[], leftOut: LeftOut[], host: string}} `host`: which it names
 * @throws {Error} it is no description of an API
 */
export function parseOpenApi(text, url) {
  const api = parseEither(text.replace(/^\ufeff/, ''), url);
  if (!isPlain(api?.paths)) throw new Error('has no `paths`');
  /** @param {any} node @returns {any} */
  const resolve = (node, hops = 0) => {
    if (typeof node?.$ref !== 'string' || hops > MOST_HOPS) return node;
    const keys = decode(node.$ref).split('/').slice(1);
    // RFC 6901
    const names = keys.map(key => key.replaceAll('~1', '/').replaceAll('~0', '~'));
    const found = names.reduce(
      (at, name) => (Object.hasOwn(at ?? {}, name) ? at[name] : null),
      node.$ref.startsWith('#') ? api : null,
    );
    return found === null ? node : resolve(found, hops + 1);
  };
  /** @type {Read[]} */
  const reads = [];
  /** @type {LeftOut[]} */
  const leftOut = [];
  for (const [route, written] of Object.entries(api.paths)) {
    const item = resolve(written);
    // The engine would replace a template in an address with a setting.
    const lost = findLost([item]);
    if (lost || !isPlain(item) || !route.startsWith('/') || route.includes('{{')) {
      const reason = lost ?? 'no path, or no map';
      if (!route.startsWith('x-')) leftOut.push({ operation: route, reason });
      continue;
    }
    const others = Object.keys(item).filter(key => !/^(?:get|x-.*)$/.test(key));
    for (const verb of others.filter(key => isPlain(item[key])))
      leftOut.push({
        operation: `${verb.toUpperCase()} ${route}`,
        reason: WRITES[verb] ?? `\`${verb}\` is not \`get\``,
      });
    if (!isPlain(item.get)) continue;
    const given = [item.parameters, item.get.parameters].flat().map(one => resolve(one));
    // A parameter of the operation replaces that of the path.
    const parameters = new Map(
      given.filter(isPlain).map(one => [JSON.stringify([one.in, one.name]), one]),
    );
    const { pathname } = readBase(item.get.servers ?? item.servers ?? api.servers, api, url);
    const address = pathname.replace(/\/$/, '') + route;
    reads.push(fillParameters(address, [...parameters.values()], resolve));
  }
  const { host } = readBase(api.servers, api, url);
  for (const name of Object.keys(isPlain(api.webhooks) ? api.webhooks : {}))
    leftOut.push({ operation: `webhook ${name}`, reason: 'your API sends it' });
  return { title: readText(api.info?.title, ''), reads, leftOut, host };
}

/** Why one of some parts is missing. @param {any[]} nodes resolved @returns {string | undefined} */
function findLost(nodes) {
  const lost = nodes.find(node => typeof node?.$ref === 'string')?.$ref;
  return lost && `\`${lost}\` is not in this description: bundle its files into one`;
}

/** @param {string} text @param {string} url @returns {any} */
function parseEither(text, url) {
  if (/^\s*</.test(text)) throw new Error('is HTML or XML');
  if (!/^\s*[[{]/.test(text)) return parseYaml(text, url, { code: 'SCRIPT_INVALID' }).data;
  return parseJson(text);
}

/** @param {any} servers @param {any} api @param {string} url @returns {{host: string, pathname: string}} */
function readBase(servers, api, url) {
  const [server] = Array.isArray(servers) ? servers : [];
  const { host } = new URL(url);
  const old = `//${readText(api.host, host)}${readText(api.basePath, '/')}`;
  const place = api.swagger ? old : readText(server?.url, '/');
  const filled = place.replace(/\{(\w+)\}/g, (all, name) =>
    readText(server?.variables?.[name]?.default, all),
  );
  const base = new URL(URL.canParse(filled, url) ? filled : '/', url);
  return { host: base.host, pathname: base.pathname.replace(/%7B(\w+)%7D/g, '{$1}') };
}

/**
 * A description may have an object or a list in any place, which cannot be part of an address.
 * @template T
 * @param {unknown} value @param {T} fallback @returns {string | T}
 */
function readText(value, fallback) {
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : fallback;
}

/** JSON may hold halves of characters, which encodeURIComponent() refuses. @param {string} text */
const encode = text => encodeURIComponent(Buffer.from(text).toString());

/**
 * An example of a parameter or of its schema, in the places of each version.
 * @param {any} written @param {(node: any) => any} resolve
 * @returns {string | undefined}
 */
function findExample(written, resolve, seen = new Set()) {
  const node = resolve(written);
  if (!isPlain(node) || seen.has(node)) return undefined;
  seen.add(node);
  const { example, examples, default: usual, enum: values, const: only } = node;
  const [first] = Array.isArray(examples)
    ? examples
    : Object.values(examples ?? {}).map(one => resolve(one)?.value);
  const own = [example, first, node['x-example'], usual, only, values?.[0]];
  const found = own.map(value => readText(value, undefined)).find(text => text !== undefined);
  if (found !== undefined) return found;
  const below = [node.schema, node.allOf, node.anyOf, node.oneOf].flat();
  const texts = below.map(one => findExample(one, resolve, seen));
  return texts.find(text => text !== undefined);
}

/** @param {string} route @param {any[]} parameters of the operation @param {(node: any) => any} resolve @returns {Read} */
function fillParameters(route, parameters, resolve) {
  let address = route;
  let isComplete = true;
  const query = [];
  for (const { in: place, required, ...parameter } of parameters) {
    const name = readText(parameter.name, '');
    const found = findExample(parameter, resolve);
    const value = found === undefined ? `{${name}}` : encode(found);
    if (place === 'path') address = address.replace(`{${name}}`, () => value);
    else if (place === 'query' && required) query.push(`${encode(name)}=${value}`);
    else if (required) isComplete = false;
  }
  if (query.length > 0) address += `?${query.join('&')}`;
  const lost = findLost(parameters);
  return { address, isComplete: isComplete && !lost && !/[{}]/.test(address), lost };
}
