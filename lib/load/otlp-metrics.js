/**
 * Sends metrics of a load to an OpenTelemetry collector: OTLP/HTTP as JSON (opentelemetry-proto 1), under the names of
 * the semantic conventions for HTTP clients. They are cumulative, so an export makes up for failed ones before it.
 */
import path from 'node:path';
import querystring from 'node:querystring';
import { Sketch, valueOfBin } from '../base/math/sketch.js';
import { findLinesEnd, streamNdjson } from '../run/ndjson.js';

/** @import { EndpointRecord } from '../run/facts/records.d.ts' */
/** @import { RawRecord } from '../run/ndjson.js' */
/** @import { Load, RunningLoad } from './load.d.ts' */

const EVERY_MS = 10_000;
/** The most that the end of a run waits for a hanging collector. */
const TIMEOUT_MS = 3000;
/** The bounds of the semantic conventions, in s. */
const BOUNDS_SEC = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
const CUMULATIVE = { aggregationTemporality: 2 };

/** By endpoint; `times` by status. @typedef {Record<string, {unanswered: number, times: Record<string, Sketch>}>} Sums */

/**
 * Sends the metrics every ten seconds and at the end. If the collector is down, the load continues and the user gets
 * a note.
 * @param {RunningLoad} running
 * @param {Pick<Load, 'settings' | 'prepared' | 'files' | 'say'>} load
 * @param {string} url
 * @returns {RunningLoad} ends after the last export
 */
export function exportMetrics(running, { settings, prepared, files, say }, url) {
  const startedMs = Date.now();
  const service = settings.get('OTEL_SERVICE_NAME');
  const attributes = listAttributes({
    'service.name': 'loadflame',
    'service.instance.id': path.basename(files.folder),
    ...parsePairs(settings.get('OTEL_RESOURCE_ATTRIBUTES')),
    ...(service && { 'service.name': service }),
  });
  const given = parsePairs(settings.get('OTEL_EXPORTER_OTLP_HEADERS'));
  const headers = { ...given, 'content-type': 'application/json' };
  /** @type {Sums} */
  const sums = {};
  let [offset, failed] = [0, 0];
  const send = async () => {
    try {
      const bytes = findLinesEnd(files.metrics, offset);
      for await (const record of streamNdjson(files.metrics, { from: offset, bytes }))
        addRecord(sums, record);
      offset = bytes;
      const metrics = listMetrics(sums, prepared.target, startedMs);
      const scopeMetrics = [{ scope: { name: 'loadflame' }, metrics }];
      const resourceMetrics = [{ resource: { attributes }, scopeMetrics }];
      // A redirect could take the headers to another host.
      const response = await fetch(url, {
        method: 'POST',
        redirect: 'error',
        headers,
        body: JSON.stringify({ resourceMetrics }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      await response.body?.cancel();
      if (!response.ok) throw new Error(`status ${response.status}`);
    } catch (error) {
      const { message, cause } = /** @type {Error & {cause?: any}} */ (error);
      failed += 1;
      if (failed > 1) return;
      // An address may contain a password.
      const reason = String(cause?.code ?? cause?.message ?? message).replace(/\S+@/g, '');
      say.onNote(`metrics could not be sent by OTLP: ${reason}`);
    }
  };
  /** One after the other, so that each record counts once. */
  let sending = Promise.resolve();
  const sendNext = () => {
    sending = sending.then(send);
    return sending;
  };
  const timer = setInterval(sendNext, EVERY_MS).unref();
  const ended = running.ended.then(async end => {
    clearInterval(timer);
    await sendNext();
    if (failed > 1) say.onNote(`${failed} exports of metrics by OTLP failed`);
    return end;
  });
  return { ...running, ended };
}

/** @param {Sums} sums @param {RawRecord} record of `load/metrics.ndjson` */
function addRecord(sums, record) {
  /** @type {Record<string, EndpointRecord>} */
  const endpoints = (record.kind === 'second' && record.endpoints) || {};
  for (const [name, { errors = 0, statuses = {} }] of Object.entries(endpoints)) {
    sums[name] ??= { unanswered: 0, times: {} };
    const own = sums[name];
    own.unanswered += errors;
    for (const [status, { count, total }] of Object.entries(statuses)) {
      if (Number(status) >= 400) own.unanswered -= count;
      if (!total) continue;
      own.times[status] ??= new Sketch();
      own.times[status].addJson(total);
    }
  }
}

/**
 * @param {Sums} sums
 * @param {string} target
 * @param {number} startedMs
 */
function listMetrics(sums, target, startedMs) {
  const span = { startTimeUnixNano: toNano(startedMs), timeUnixNano: toNano(Date.now()) };
  const times = [];
  const unanswered = [];
  for (const [name, own] of Object.entries(sums)) {
    const endpoint = describeEndpoint(name, target);
    const attributes = listAttributes(endpoint);
    unanswered.push({ ...span, attributes, asInt: String(own.unanswered) });
    for (const [status, sketch] of Object.entries(own.times)) {
      const code = { 'http.response.status_code': Number(status) };
      const error = Number(status) >= 400 && { 'error.type': status };
      const answered = { attributes: listAttributes({ ...endpoint, ...code, ...error }) };
      times.push({ ...span, ...answered, ...toHistogram(sketch) });
    }
  }
  const histogram = { ...CUMULATIVE, dataPoints: times };
  const sum = { ...CUMULATIVE, isMonotonic: true, dataPoints: unanswered };
  return [
    { name: 'http.client.request.duration', unit: 's', histogram },
    { name: 'loadflame.http.unanswered', unit: '{request}', sum },
  ];
}

/** The bins of a sketch are 2 % wide: a bin across a bound counts on its middle's side. @param {Sketch} sketch of ms */
function toHistogram(sketch) {
  const counts = [sketch.zero, ...BOUNDS_SEC.map(() => 0)];
  for (const [key, count] of sketch.bins()) {
    const at = BOUNDS_SEC.filter(bound => bound * 1000 < valueOfBin(key)).length;
    counts[at] = (counts[at] ?? 0) + count;
  }
  const [sum, min, max] = [sketch.sum, sketch.min, sketch.max].map(ms => ms / 1000);
  const buckets = { bucketCounts: counts.map(String), explicitBounds: BOUNDS_SEC };
  return { count: String(sketch.count), sum, min, max, ...buckets };
}

/** If the script named the endpoint, its method and server are unknown. @param {string} name @param {string} target */
function describeEndpoint(name, target) {
  const [, method = '_OTHER', origin = target, template = name] =
    /^([A-Z]+) (https?:\/\/[^/]+)?(\/\S*)$/.exec(name) ?? [];
  const url = method === '_OTHER' ? null : URL.parse(origin);
  const port = Number(url?.port || (url?.protocol === 'https:' ? 443 : 80));
  const server = url && { 'server.address': url.hostname, 'server.port': port };
  return { 'http.request.method': method, 'url.template': template, ...server };
}

/** @param {string | null} text `a=1,b=2`, percent-encoded @returns {Record<string, string>} */
function parsePairs(text) {
  const pairs = [...(text ?? '').matchAll(/([^,=]+)=([^,]*)/g)];
  return Object.fromEntries(
    pairs.map(([, name = '', value = '']) => [name.trim(), querystring.unescape(value.trim())]),
  );
}

/** @param {Record<string, string | number>} values */
function listAttributes(values) {
  return Object.entries(values).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
  }));
}

/** @param {number} ms */
const toNano = ms => `${ms}000000`;
