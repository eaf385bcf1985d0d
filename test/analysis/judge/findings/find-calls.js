import * as calls from '../../../../lib/analysis/judge/findings/calls.js';
import { buildCalls, buildStatement } from '../../../fixtures/reports/build-calls.js';
import { makeLoad, makeRunInfo } from '../../facts.js';

/** @import { CallsReport, EndpointCalls } from '../../../../lib/run/facts/calls.d.ts' */
/** @import { FindingRule } from '../../../../lib/analysis/judge/statements.js' */
/** @import { StatementParts } from '../../../fixtures/reports/build-calls.js' */

/** @param {CallsReport} calls @param {any} [beside] */
export const factsOf = (calls, beside = {}) => ({
  ...{ run: makeRunInfo(), load: makeLoad(), profile: null, calls },
  ...beside,
});

/** @param {Parameters<FindingRule>[0]} facts */
export const findAll = facts => Object.values(calls).flatMap(rule => rule(facts));

/** Findings about one statement. @param {StatementParts} parts @param {Partial<EndpointCalls>} [own] */
export const find = (parts, own) => findAll(factsOf(buildCalls([buildStatement(parts)], own)));

/** @param {StatementParts} parts @param {Partial<EndpointCalls>} [own] */
export const idsOf = (parts, own) => find(parts, own).map(({ id }) => id);
