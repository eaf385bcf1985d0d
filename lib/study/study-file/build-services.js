/** Services, and what is recorded of them: defaults filled in. The shape of the data was checked. */
import path from 'node:path';
import { parseTimeMs } from './units.js';

/** @import { Action, FactorMatch, Probe, ProcessGroup, Ready, Service } from '../study-file.d.ts' */

const READY_TIMEOUT = '30s';
const WAIT_TIMEOUT = '30s';
const PROBE_INTERVAL = '500ms';

/** @param {string} time */
export const secondsOf = time => (parseTimeMs(time) ?? 0) / 1000;

/** @param {Record<string, unknown>} [map] @returns {Record<string, string>} */
export function textsOf(map = {}) {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, String(value)]));
}

/** @param {Record<string, any>} match @returns {FactorMatch} */
export function buildMatch(match) {
  return Object.fromEntries(
    Object.entries(match).map(([factor, labels]) => [factor, [labels].flat().map(String)]),
  );
}

/** @param {string} name @param {Record<string, any>} data @param {string} folder of the study @returns {Service} */
export function buildService(name, data, folder) {
  const commands = (/** @type {unknown[][]} */ list = []) => list.map(item => item.map(String));
  return {
    name,
    when: data.when ? buildMatch(data.when) : null,
    scope: data.scope ?? 'variant',
    command: data.command.map(String),
    prepare: commands(data.prepare),
    after: commands(data.after),
    env: textsOf(data.env),
    files: { ...data.files },
    user: data.user ?? null,
    cwd: data.cwd === undefined ? null : resolveBeside(data.cwd, folder),
    ready: buildReady(data.ready ?? {}),
    readyTimeoutSec: secondsOf(data.ready?.timeout ?? READY_TIMEOUT),
    stopSignal: data.stopSignal ?? 'SIGTERM',
    install: data.install ?? null,
  };
}

/** @param {Record<string, any>} data @returns {Ready} */
function buildReady(data) {
  if (data.port !== undefined) return { kind: 'port', port: String(data.port) };
  if (data.url !== undefined) return { kind: 'url', url: data.url, status: data.status ?? 200 };
  if (data.log !== undefined) return { kind: 'log', pattern: data.log };
  if (data.command !== undefined) return { kind: 'command', command: data.command.map(String) };
  return { kind: 'none' };
}

/** @param {string} name @param {Record<string, any>} data @returns {ProcessGroup} */
export function buildProcessGroup(name, data) {
  return {
    name,
    service: data.service ?? null,
    pidFile: data.pidFile ?? null,
    port: textOrNull(data.port),
    commandLine: data.commandLine ?? null,
    cgroup: data.cgroup ?? null,
    members: data.members ?? 'all',
    cores: textOrNull(data.cores),
  };
}

/** @param {string} name @param {Record<string, any>} data @param {string} target its address @returns {Probe} */
export function buildProbe(name, data, target) {
  return {
    name,
    url: data.url === undefined ? null : resolveUrl(data.url, target),
    command: data.command?.map(String) ?? null,
    intervalMs: parseTimeMs(data.every ?? PROBE_INTERVAL) ?? 0,
  };
}

/** @param {Record<string, any>} data @param {string} target its address @returns {Action} */
export function buildAction(data, target) {
  if (data.command) return { kind: 'command', command: data.command.map(String) };
  if (data.request) {
    const [method, url] = data.request.split(' ');
    return { kind: 'request', method, url: resolveUrl(url, target), body: data.body ?? null };
  }
  const { probe, field, most = 0 } = data.wait;
  const timeoutSec = secondsOf(data.timeout ?? WAIT_TIMEOUT);
  return { kind: 'wait', probe, field, most, timeoutSec };
}

/** @param {unknown} value */
export function textOrNull(value) {
  return value === undefined ? null : String(value);
}

/** A path is one of the target's. @param {string} url @param {string} target */
function resolveUrl(url, target) {
  return url.startsWith('/') ? `${target}${url}` : url;
}

/** @param {string} file @param {string} folder */
export function resolveBeside(file, folder) {
  return file.startsWith('{{') ? file : path.resolve(folder, file);
}
