/** Errors over time: by code, endpoint and second. */
import { addTo, entryOf } from '../../../base/files/maps.js';
import { listErrors } from '../../../base/math/counters.js';
import { sum } from '../../../base/math/summary.js';
import { SECOND_MS } from './build-grid.js';

/** An endpoint with this share of a burst is its endpoint. */
export const NEARLY_ALL = 0.8;

/** Of each second (epoch, s). @typedef {Map<number, number>} Counts */

/** Errors and requests per second, from `second` records. */
export class ErrorSeries {
  /** of each endpoint @type {Map<string, Counts>} */
  requests = new Map();
  /** requests of each endpoint that got no response @type {Map<string, Counts>} */
  #unanswered = new Map();
  /** of each code, by endpoint; errors without a response have no endpoint @type {Map<string, Map<string | null, Counts>>} */
  #errors = new Map();
  /** @type {{code: string, fromMs: number, id: string, count: number}[]} of instances that identified themselves */
  #answered = [];

  /** @param {import('../../read/load/seconds.js').SecondRecord} record */
  add({ fromMs, endpoints = {}, counters = {}, failed = {} }) {
    const second = Math.round(fromMs / SECOND_MS);
    for (const [code, ids] of Object.entries(failed))
      for (const [id, count] of Object.entries(ids))
        this.#answered.push({ code, fromMs, id, count });
    for (const [name, own] of Object.entries(endpoints)) {
      const { requests = 0, errors = 0, broken = 0, statuses = {} } = own;
      addTo(mapOf(this.requests, name), second, requests);
      let others = errors + broken;
      for (const [status, { count = 0 }] of Object.entries(statuses)) {
        if (Number(status) < 400) continue;
        others -= count;
        addTo(mapOf(mapOf(this.#errors, status), name), second, count);
      }
      if (others > 0) addTo(mapOf(this.#unanswered, name), second, others);
    }
    for (const { name, count, isOfStep } of listErrors(counters))
      if (!isOfStep) addTo(mapOf(mapOf(this.#errors, name), null), second, count);
  }

  /** Errors by the instance that responded. @param {{code: string, startMs: number, endMs: number}} burst @returns {Map<string, number>} */
  answeredBy({ code, startMs, endMs }) {
    const sums = new Map();
    for (const { code: own, fromMs, id, count } of this.#answered)
      if (own === code && fromMs >= startMs && fromMs < endMs) addTo(sums, id, count);
    return sums;
  }

  /** @returns {string[]} */
  codes() {
    return [...this.#errors.keys()];
  }

  /** @param {string} code @returns {Counts} errors of all endpoints */
  countsOf(code) {
    return addUp(this.#errors.get(code)?.values() ?? []);
  }

  /**
   * Errors without a response are counted by name for the whole second. If nearly all requests without a response
   * in these seconds went to one endpoint, the errors are that endpoint's.
   * @param {string} code
   * @returns {[name: string, errors: Counts][]} by endpoint; empty where unknown
   */
  placesOf(code) {
    const own = [...(this.#errors.get(code) ?? [])];
    const known = own.flatMap(([name, counts]) => (name === null ? [] : [[name, counts]]));
    const [, errors] = own.find(([name]) => name === null) ?? [];
    if (!errors) return /** @type {[string, Counts][]} */ (known);
    const hits = [...this.#unanswered].map(([name, perSecond]) => ({
      name,
      n: sumOf(perSecond, errors.keys()),
    }));
    const total = sum(hits.map(({ n }) => n));
    const top = hits.find(({ n }) => n > 0 && n >= total * NEARLY_ALL);
    return top ? [[top.name, errors]] : [];
  }
}

/** @template Name, Key, Value @param {Map<Name, Map<Key, Value>>} maps @param {Name} name */
const mapOf = (maps, name) => entryOf(maps, name, () => new Map());

/** @param {Iterable<Counts>} all @returns {Counts} */
export function addUp(all) {
  /** @type {Counts} */
  const counts = new Map();
  for (const own of all) for (const [second, n] of own) addTo(counts, second, n);
  return counts;
}

/** @param {Counts} counts @param {Iterable<number>} seconds */
export const sumOf = (counts, seconds) => sum(Array.from(seconds, at => counts.get(at) ?? 0));
