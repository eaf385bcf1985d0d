/** Turns a checked study file into a Study: fills in defaults and converts units. */
import { hash } from 'node:crypto';
import path from 'node:path';
import { mapValues } from '../../../base/files/maps.js';
import { parseLimit } from '../../../base/format.js';
import { parseSeconds } from '../../../load/script/durations.js';

/** @import { Factor, FactorMatch, Gunicorn, Load, Objective, Probe, ProcessGroup, Service, Stage, Study } from '../../../run/facts/study-file.d.ts' */
/** @import { StudyForm } from './study-form.d.ts' */

const READY_TIMEOUT = '30s';
const PROBE_INTERVAL = '500ms';

/** Keys that are copied as they are. @type {(keyof StudyForm)[]} */
const AS_GIVEN = ['setup', 'prepare', 'reset', 'cleanup', 'secrets', 'workloads'];

/** @param {string} time */
const secondsOf = time => parseSeconds(time) ?? 0;
/** @param {string} time */
const msOf = time => Math.round(secondsOf(time) * 1000);
/** @param {string} percent */
const shareOf = percent => parseLimit(percent, 'share') ?? 0;

/**
 * @param {StudyForm} data
 * @param {{file: string, text: string, isQuick: boolean}} source `file` is absolute
 * @returns {Study}
 */
export function buildStudy(data, { file, text, isQuick }) {
  const folder = path.dirname(file);
  const targetUrl = data.target.url.replace(/\/+$/, '');
  const { processes = {}, probes = {}, profile = 'off' } = data.record ?? {};
  const services = mapEntries(data.services, buildService);
  const gunicorn = [data.target.gunicorn ?? []].flat().map(one => resolvePidFile(one, folder));
  /** @type {ProcessGroup[]} */
  const groups = mapEntries(processes, (name, group) => {
    return { members: 'all', ...resolvePidFile(group, folder), name };
  });
  const given = AS_GIVEN.flatMap(key => (data[key] === undefined ? [] : [[key, data[key]]]));
  return {
    ...Object.fromEntries(given),
    name: path.parse(file).name.replace(/[^\w.-]+/g, '-'),
    file,
    sha256: hash('sha256', `${isQuick ? 'quick' : 'full'}\n${text}`),
    isQuick,
    title: data.title,
    question: data.question ?? null,
    factors: Object.entries(data.factors ?? {}).map(buildFactor),
    exclude: (data.exclude ?? []).map(buildMatch),
    ports: data.ports ?? [],
    services,
    target: { url: targetUrl, gunicorn },
    settings: textsOf(data.settings),
    scenario:
      typeof data.scenario === 'string'
        ? { script: resolveBeside(data.scenario, folder) }
        : { inline: data.scenario },
    load: buildLoad(data.load),
    warmUpSec: data.load.model === 'burst' ? 0 : secondsOf(data.warmUp ?? '5s'),
    durationSec: secondsOf(data.duration ?? '20s'),
    settleSec: secondsOf(data.settle ?? '1s'),
    repeats: data.repeats ?? 3,
    record: {
      profile,
      processes: [...groups, ...listOtherServices(services, gunicorn, groups)],
      probes: mapEntries(probes, (name, probe) => buildProbe(name, probe, targetUrl)),
    },
    answers: data.answers ?? 'requests',
    throughput: data.throughput
      ? { label: `${data.throughput.field}/s`, ...data.throughput }
      : null,
    stages: (data.stages ?? []).map(buildStage),
    scaleOver: data.scaleOver ?? null,
    objective: data.objective ? buildObjective(data.objective) : null,
  };
}

/**
 * @template T
 * @param {Record<string, any> | undefined} map @param {(name: string, value: any) => T} build
 * @returns {T[]}
 */
function mapEntries(map, build) {
  return Object.entries(map ?? {}).map(([name, value]) => build(name, value));
}

/** @param {[string, any]} entry @returns {Factor} */
function buildFactor([name, values]) {
  if (Array.isArray(values)) {
    return { name, values: values.map(label => ({ label: String(label), fields: {} })) };
  }
  return {
    name,
    values: mapEntries(values, (label, fields) => ({ label, fields: { ...fields } })),
  };
}

/** @param {StudyForm['load']} data @returns {Load} */
function buildLoad({ model = 'closed', of, base, steps, stop = {}, cpus }) {
  const isList = Array.isArray(steps);
  return {
    model,
    ...(of !== undefined && { of }),
    ...(base !== undefined && { base }),
    steps: isList ? steps : { from: steps.from ?? 1, factor: steps.factor ?? 2, most: steps.most },
    untilSaturated: !isList,
    ...(cpus !== undefined && { cpus: String(cpus) }),
    stop: {
      gain: shareOf(stop.gain ?? '5%'),
      p95Ms: stop.p95 ? msOf(stop.p95) : null,
      errors: shareOf(stop.errors ?? '1%'),
      skipped: shareOf(stop.skipped ?? '1%'),
    },
  };
}

/** @param {NonNullable<StudyForm['stages']>[number]} data @returns {Stage} */
function buildStage({ name, backlog, servers = 1 }) {
  const dot = backlog.indexOf('.');
  return {
    name,
    backlog: { probe: backlog.slice(0, dot), field: backlog.slice(dot + 1) },
    servers: String(servers),
  };
}

/** @param {NonNullable<StudyForm['objective']>} data @returns {Objective} */
function buildObjective({ rate, clients, interval, p95, errors, headroom = '30%', when }) {
  return {
    ratePerSec: rate === undefined ? null : parseLimit(String(rate), 'perSec'),
    clients: clients ?? null,
    intervalSec: interval ? secondsOf(interval) : null,
    p95Ms: p95 ? msOf(p95) : null,
    errors: errors ? shareOf(errors) : null,
    headroom: shareOf(headroom),
    ...(when && { when: buildMatch(when) }),
  };
}

/** @param {Record<string, unknown>} [map] */
const textsOf = (map = {}) => mapValues(map, String);

/** @param {Record<string, any>} match @returns {FactorMatch} */
const buildMatch = match => mapValues(match, labels => [labels].flat().map(String));

/** Stands for a service's own port in its paths. */
const OWN_ADDRESS = 'http://127.0.0.1:{{ $env.STUDY_PORT }}';

/** @param {string} name @param {any} data @returns {Service} */
export function buildService(name, { when, env, ready = {}, ...data }) {
  const { url, timeout = READY_TIMEOUT, ...how } = ready;
  return {
    ...{ stopSignal: 'SIGTERM', ...data, name },
    when: when ? buildMatch(when) : null,
    env: textsOf(env),
    ready: {
      ...how,
      ...(url && { url: resolveUrl(url, OWN_ADDRESS) }),
      timeoutSec: secondsOf(timeout),
    },
  };
}

/**
 * With the path of a PID file resolved against the study file.
 * @param {any} data @param {string} folder
 */
function resolvePidFile({ pidFile, ...data }, folder) {
  return pidFile === undefined ? data : { ...data, pidFile: resolveBeside(pidFile, folder) };
}

/** Our own names for parts of a measurement: a service with such a name would be added to them. */
const ROLES = ['worker', 'workers', 'master', 'generator', 'py-spy', 'loadflame'];

/**
 * What a study starts is part of the measurement and no background load: services that no group names become groups
 * of their own. The target's gunicorn is recorded by its processes.
 * @param {Service[]} services @param {Gunicorn[]} gunicorn @param {ProcessGroup[]} groups
 */
function listOtherServices(services, gunicorn, groups) {
  const known = new Set(groups.flatMap(({ name, service }) => [name, service]));
  for (const one of gunicorn) if ('service' in one) known.add(one.service);
  return services.flatMap(({ name: service }) => {
    const name = ROLES.includes(service) ? `${service}-service` : service;
    return known.has(service) || known.has(name) ? [] : [{ name, service, members: 'all' }];
  });
}

/**
 * @param {string} name
 * @param {any} data
 * @param {string} target its address
 * @returns {Probe}
 */
function buildProbe(name, { url, command, every = PROBE_INTERVAL }, target) {
  const source = url === undefined ? { command } : { url: resolveUrl(url, target) };
  return { name, ...source, intervalMs: msOf(every) };
}

/** A path is relative to the base. @param {string} url @param {string} base */
function resolveUrl(url, base) {
  return url.startsWith('/') ? `${base}${url}` : url;
}

/** @param {string} file @param {string} folder */
function resolveBeside(file, folder) {
  return file.startsWith('{{') ? file : path.resolve(folder, file);
}
