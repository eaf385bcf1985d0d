/** Targets that are not typed, but found in a cluster: the addresses of its routes, ingresses or services. */
import { LoadflameError } from '../../errors.js';
import { plainLine } from '../../files/plain-text.js';
import { checkNamespace } from './find-pods.js';

/** @import { Config } from '../../config/read-config.js' */
/** @import { FoundTargets, TargetsAsked } from '../../facts/records.d.ts' */
/** @import { Redactor } from '../../files/redaction.js' */
/** @import { ApiObject } from './read-objects.js' */

/** One address of an object, or why it has none. @typedef {{url: string, host: string} | {why: string}} Place */

/** Characters that are themselves wherever a path is matched; others make a pattern of it. */
const PLAIN_PATH = /^(?:\/[\w.~%:@,=-]*)*$/;
const HOST = /^(?:[a-z\d](?:[a-z\d.-]*[a-z\d])?|\[[\da-f:.]+\])$/;
/** Names listed in an error, and before the load. */
const SHOWN = 10;

const READ = { routes: readRoute, ingresses: readIngress, services: readService };
const GROUPS = { routes: 'route.openshift.io', ingresses: 'networking.k8s.io', services: '' };

/**
 * @param {TargetsAsked} asked without templates
 * @param {Config} config
 * @param {Redactor} redactor
 * @returns {Promise<FoundTargets>} with at least one
 * @throws {LoadflameError} KUBE_…, TARGETS_WITHOUT_HOSTS
 */
export async function findTargets({ hosts, ...asked }, config, redactor) {
  const [[kind, { selector }]] = /** @type {[[keyof typeof READ, {selector: string}]]} */ (
    Object.entries(asked)
  );
  // Most runs ask no cluster.
  const { connectCluster } = await import('./connect.js');
  const cluster = await connectCluster(config, redactor);
  const { namespace } = cluster;
  if (selector.trim() === '') {
    // A setting that is empty: the API would list all that there are.
    const why = 'its `selector` is empty';
    throw new LoadflameError('KUBE_NO_TARGETS', { what: kind, why, kind, namespace });
  }
  const list = { verb: 'list', resource: kind, group: GROUPS[kind] };
  const { items = [] } = await cluster.ask(list, { labelSelector: selector });
  const { addresses, left } = readTargets(kind, items, hosts);
  const what = `${kind} with ${selector} in the namespace ${namespace}`;
  if (addresses.length === 0) {
    await checkNamespace(cluster);
    const others = items.length > 0 ? [] : (await cluster.ask(list)).items;
    const why = items.length > 0 ? tellLeft(left) : `there are ${listNames(others)}`;
    throw new LoadflameError('KUBE_NO_TARGETS', { what, why, kind, namespace });
  }
  if (!hosts && config.get('OIDC_ISSUER')) {
    const found = tellLeft(readTargets(kind, items, []).left);
    throw new LoadflameError('TARGETS_WITHOUT_HOSTS', { what, found });
  }
  return { what, addresses, left };
}

/** For people, before the load. @param {FoundTargets} found */
export function describeTargets({ what, addresses, left }) {
  const others = left.length > 0 ? `; left out: ${tellLeft(left)}` : '';
  return `targets: ${shorten(addresses)} (${what})${others}`;
}

/**
 * @param {keyof typeof READ} kind
 * @param {ApiObject[]} items
 * @param {string[]} [hosts]
 * @returns {Pick<FoundTargets, 'addresses' | 'left'>} each address once
 */
export function readTargets(kind, items, hosts) {
  /** @type {Set<string>} */
  const addresses = new Set();
  /** @type {FoundTargets['left']} */
  const left = [];
  for (const item of items) {
    const { name, deletionTimestamp } = item.metadata ?? {};
    for (const place of deletionTimestamp ? [{ why: 'it is being deleted' }] : READ[kind](item)) {
      const why =
        'why' in place
          ? place.why
          : hosts?.every(host => !fitsHost(place.host, host)) &&
            `its host ${place.host} is not among \`hosts\``;
      if (why) left.push({ name: plainLine(`${kind}/${name}`), why: plainLine(why).slice(0, 300) });
      else if ('url' in place) addresses.add(place.url);
    }
  }
  return { addresses: [...addresses], left };
}

/** Each router that has admitted it knows its host. @param {ApiObject} route @returns {Place[]} */
function readRoute({ spec = {}, status = {} }) {
  const routers = (status.ingress ?? []).map(
    (/** @type {ApiObject} */ { host, conditions = [] }) => {
      const condition = conditions.find((/** @type {ApiObject} */ { type }) => type === 'Admitted');
      return { host, isAdmitted: condition?.status === 'True', reason: condition?.reason };
    },
  );
  const admitted = routers.filter((/** @type {ApiObject} */ { isAdmitted }) => isAdmitted);
  const reason = routers[0]?.reason ? `: ${routers[0].reason}` : '';
  if (admitted.length === 0) return [{ why: `no router has admitted it${reason}` }];
  return admitted.map((/** @type {ApiObject} */ { host }) =>
    makePlace(spec.tls ? 'https' : 'http', host, spec.path),
  );
}

/** @param {ApiObject} ingress @returns {Place[]} */
function readIngress({ spec = {}, status = {} }) {
  const { rules = [{}], tls = [] } = spec;
  const [balancer = {}] = status.loadBalancer?.ingress ?? [];
  return rules.flatMap((/** @type {ApiObject} */ rule) => {
    const host = rule.host ?? balancer.hostname ?? balancer.ip;
    if (!host) return [{ why: 'it names no host, and has no address of a load balancer' }];
    const isTls = tls.some((/** @type {ApiObject} */ { hosts = [host] }) =>
      hosts.some((/** @type {string} */ one) => fitsHost(host, one)),
    );
    const paths = rule.http?.paths ?? [{}];
    return paths.map((/** @type {ApiObject} */ { path = '/', pathType }) =>
      pathType === 'Exact' && path !== '/'
        ? { why: `nothing below its path ${path} is led on (Exact)` }
        : makePlace(isTls ? 'https' : 'http', host, path),
    );
  });
}

/** @param {ApiObject} service @returns {Place[]} */
function readService({ metadata = {}, spec = {}, status = {} }) {
  const [balancer = {}] = status.loadBalancer?.ingress ?? [];
  const address = balancer.hostname ?? balancer.ip ?? spec.clusterIP ?? 'None';
  if (spec.type === 'ExternalName') return [{ why: 'it leads out of the cluster' }];
  if (address === 'None') return [{ why: 'it has no address of its own (headless)' }];
  const ports = (spec.ports ?? []).filter(
    (/** @type {ApiObject} */ { protocol = 'TCP' }) => protocol === 'TCP',
  );
  const named = ports.find((/** @type {ApiObject} */ one) => /^https?\b/.test(nameProtocol(one)));
  const port = named ?? (ports.length === 1 ? ports[0] : null);
  if (!port) return [{ why: 'none of its ports is named http or https' }];
  const isTls = port.port === 443 || /^https\b/.test(nameProtocol(port));
  const host = address.includes(':') ? `[${address}]` : address;
  const place = makePlace(isTls ? 'https' : 'http', host, '', `:${port.port}`);
  return [{ ...place, host: `${metadata.name}.${metadata.namespace}.svc` }];
}

/** @param {ApiObject} port */
function nameProtocol({ appProtocol, name }) {
  return String(appProtocol ?? name ?? '');
}

/**
 * What a browser would read as another host (`2130706433` is 127.0.0.1) is none.
 * @param {'http' | 'https'} scheme @param {unknown} given @param {string} [path] @param {string} [port] `:8080`
 * @returns {Place}
 */
function makePlace(scheme, given, path = '', port = '') {
  const host = String(given).toLowerCase();
  const base = `${scheme}://${host}${port}`;
  if (!HOST.test(host) || !URL.canParse(base) || new URL(base).hostname !== host)
    return { why: `${host} is not the name of one host` };
  if (!PLAIN_PATH.test(path)) return { why: `its path ${path} is a pattern` };
  return { url: `${new URL(base).origin}${path.replace(/\/+$/, '')}`, host };
}

/** @param {string} host @param {string} pattern `shop.example`, or `*.example` for all below it */
function fitsHost(host, pattern) {
  return pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern;
}

/** @param {FoundTargets['left']} left */
function tellLeft(left) {
  return shorten(left.map(({ name, why }) => `${name} (${why})`));
}

/** With their labels. @param {ApiObject[]} [items] */
function listNames(items = []) {
  const names = items.map(({ metadata = {} }) => {
    const labels = Object.entries(metadata.labels ?? {}).map(pair => pair.join('='));
    return plainLine(`${metadata.name} (${labels.join(',') || 'no labels'})`);
  });
  return shorten(names) || 'none';
}

/** @param {string[]} names */
function shorten(names) {
  const more = names.length - SHOWN;
  return names.slice(0, SHOWN).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
