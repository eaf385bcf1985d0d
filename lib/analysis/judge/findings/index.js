/** The findings of a report. Each rule is a pure function of the measurements; its words are in lib/text. */
import * as bottleneck from './bottleneck.js';
import * as calls from './calls.js';
import * as cluster from './cluster.js';
import * as code from './code.js';
import * as errors from './errors.js';
import * as machine from './machine.js';
import { findSameCalls } from './same-work.js';
import * as trends from './trends.js';

/** @import { Facts, FindingRule } from '../statements.js' */
/** @import { Finding } from '../../../run/facts/findings.d.ts' */

/** All that these modules export. @type {FindingRule[]} */
const RULES = [bottleneck, calls, cluster, code, errors, machine, trends].flatMap(Object.values);

/** @param {Facts} facts @returns {Finding[]} unordered: the verdict ranks them */
export const collectFindings = facts => [...RULES, findSameCalls].flatMap(rule => rule(facts));
