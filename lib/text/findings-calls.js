/** Findings about database statements and other calls. Their text and places come from outside. */
import { formatBytes, formatCount, formatMs, formatPercent } from '../format.js';
import { nameCall, nameCalled, nameCaller } from './calls.js';
import { formatFew, joinWords, listEvidence, listFirst, pair } from './words.js';

/** @import { StatementName } from '../facts/calls.d.ts' */
/** @import { CallOfEndpoint, FindingTable, RepeatedCall } from '../facts/findings.d.ts' */
/** @import { Catalogue, Evidence, StatementText } from './text.d.ts' */

/** Users would not notice a smaller gain. */
const LEAST_GAIN = 0.01;
const MOST_NAMED = 3;

/** @typedef {'n-plus-one' | 'repeated-call' | 'slow-call' | 'pool-wait' | 'open-transaction' | 'unused-rows'} Id */
/** @type {Catalogue<Pick<FindingTable, Id>, StatementText>} */
export const CALL_FINDINGS = {
  'n-plus-one': repeated => ({
    title: `N+1: ${doEndpoints(repeated, 'load')} ${repeated.call.relation ? `\`${repeated.call.relation}\`` : 'rows'} with ${describeRepeats(repeated, 'queries')}.`,
    detail: repeated.call.relation
      ? `The code reads the ${isColumn(repeated.call) ? 'deferred column' : 'relation'} of one object after the other, and the ORM sends a query each time.`
      : 'A loop sends a query for each row of another query.',
    evidence: listRepeats(repeated),
    advice: adviseRows(repeated.call),
    gain: describeGain(repeated, 'One query for all rows'),
  }),
  'repeated-call': repeated => ({
    title: `${doEndpoints(repeated, repeated.call.kind === 'sql' ? 'send' : 'make')} ${repeated.call.kind === 'sql' ? 'the same statement' : `the same call of ${nameCalled(repeated.call)}`} ${isTwice(repeated) ? 'twice' : 'again and again'}: ${describeRepeats(repeated, 'times')}.`,
    detail: null,
    evidence: listRepeats(repeated),
    advice: isTwice(repeated)
      ? 'Values are not recorded. If they are the same, keep the first result for the rest of the request; if not, ask for both with one statement.'
      : adviseRepeated(repeated.call),
    gain: describeGain(repeated, isTwice(repeated) ? 'Executing it once' : 'One for all'),
  }),
  'slow-call': ({ call, endpoint, responseMs, isCpuBound }) => ({
    title: `One ${call.kind === 'sql' ? 'statement' : `call of ${nameCalled(call)}`} sets the p95 of ${endpoint.name}: ${formatMs(call.p95Ms)} of ${formatMs(responseMs)}.`,
    detail: isCpuBound
      ? 'The CPU of the workers is saturated: a part of this time may be spent waiting for it.'
      : null,
    evidence: listEvidence([
      ...listCall(call),
      ['each execution', `${formatMs(call.meanMs)} on average, ${formatMs(call.p95Ms)} at p95`],
      ['executions', describeUse(endpoint)],
    ]),
    advice:
      call.kind === 'sql'
        ? 'Look at its plan: `--explain-sql` asks a development database for it. Usual causes are a missing index, a sort or a large result.'
        : 'Avoid waiting for it in the request: cache the result, set a timeout, or move it to a task.',
  }),
  'pool-wait': ({ first, others }) => ({
    title: `Requests to ${first.name} wait for a connection of the pool: ${describeTime(first)}.`,
    detail:
      'All connections of the pool are taken. A request holds its connection until its transaction ends, even while it calculates or waits for something else.',
    evidence: others.map(one => ({ label: one.name, value: describeTime(one) })),
    advice:
      'End transactions earlier: commit, or close the session, before other work. Then raise the size of the pool (`pool_size`, `max_overflow`, `max_size`) as far as the database allows.',
  }),
  'open-transaction': ({ call, openMs }) => ({
    title: `A transaction stays open while ${doEndpoints(call, 'call')} ${nameCalled(call)}: ${formatMs(openMs)} per request.`,
    detail:
      'Meanwhile the request holds a connection of the database, and locks on the rows that it wrote.',
    evidence: listEvidence([
      ...listCall(call),
      ['calls', `${formatFew(call.count / call.requests)} per request`],
    ]),
    advice: 'Make the call before the transaction begins, or after its commit.',
  }),
  'unused-rows': ({ call, endpoint, rows, responseBytes }) => ({
    title: `${endpoint} reads ${formatCount(Math.round(rows))} rows per request for a response of ${formatBytes(responseBytes)}.`,
    detail:
      'The rows cannot be in such a short response: the application counts or filters them itself.',
    evidence: listEvidence(listCall(call)),
    advice:
      'Let the database do it: `COUNT`, `SUM`, `EXISTS`, a `WHERE` or a `LIMIT` in the statement.',
  }),
};

/** @param {RepeatedCall} repeated */
const isTwice = ({ call: { most } }) => most === 2;

/** "GET /orders loads", "GET /a and GET /b load" @param {{endpoints: {name: string}[]}} of @param {string} verb */
function doEndpoints({ endpoints }, verb) {
  const names = endpoints.map(({ name }) => name);
  return `${joinWords(listFirst(names, MOST_NAMED))} ${verb}${names.length > 1 ? '' : 's'}`;
}

/** "50 queries per request, 38.1 ms of 61.0 ms" @param {RepeatedCall} repeated @param {string} noun */
function describeRepeats({ endpoints: [first] }, noun) {
  return first ? `${formatFew(first.perRequest)} ${noun} per request, ${describeTime(first)}` : '';
}

/** @param {RepeatedCall} repeated @returns {Evidence[]} */
function listRepeats({ call, endpoints }) {
  return listEvidence([
    ...listCall(call),
    ...endpoints
      .slice(0, MOST_NAMED)
      .map(own =>
        pair(
          own.view ? `${own.name}, ${own.view.function} (${own.view.file})` : own.name,
          describeUse(own),
        ),
      ),
    [
      'each execution',
      `${endpoints[0]?.isBound ? 'at most ' : ''}${formatMs(call.meanMs)} on average`,
    ],
    ['the most in one request', formatCount(call.most)],
  ]);
}

/** @param {CallOfEndpoint} use */
const describeUse = ({ perRequest, ofRequests, ...times }) =>
  `${formatFew(perRequest)} per request on average, in ${formatPercent(ofRequests)} of its requests; ${describeTime(times)}`;

/** "38.1 ms of 61.0 ms in the server" @param {Pick<CallOfEndpoint, 'msPerRequest' | 'serverMs' | 'isBound'>} times */
const describeTime = ({ msPerRequest, serverMs, isBound }) =>
  `${isBound ? 'at most ' : ''}${formatMs(msPerRequest)}${serverMs === null ? '' : ` of ${formatMs(serverMs)} in the server`}`;

/** @param {StatementName} call @returns {[string, string | null][]} */
function listCall(call) {
  const caller = nameCaller(call);
  return [
    [call.kind === 'sql' ? 'statement' : 'call', nameCall(call)],
    ['sent from', caller && `${call.function ?? 'the module'} (${caller})`],
  ];
}

/** Django quotes all names; a forward relation is read with `get`, which asks for at most 21 rows. */
const DJANGO = /^SELECT (?:DISTINCT )?(["`])\w+\1\.\1\w+\1/;
const FORWARD = /\bLIMIT\b/i;

/** The remedy takes no other names. */
const RELATION = /^\w+(?:\.\w+)+$/;

/** A column that is loaded later is in the statement's own list; a relation is not. @param {StatementName} call */
function isColumn({ relation, text }) {
  const [list = ''] = (text ?? '').replace(/["`[\]]/g, '').split(/ FROM /i, 1);
  const names = list.split(/[^\w.]+/).map(name => name.split('.').at(-1));
  return names.includes(relation?.split('.').at(-1));
}

/** Advice to load rows with the query of their parents. @param {StatementName} call */
function adviseRows(call) {
  const { relation, text } = call;
  if (!relation)
    return `The loop around ${nameCaller(call) ?? 'it'} can ask for all rows with one query: a join, or \`WHERE … IN (…)\` before the loop.`;
  const at = 'Load it with the query of the rows:';
  const name = relation.split('.').at(-1);
  const isDjango = DJANGO.test(text ?? '');
  if (isColumn(call))
    return isDjango
      ? `${at} take \`${name}\` out of \`.defer()\`, or add it to \`.only()\`. Otherwise do not read it for each row.`
      : `${at} \`.options(undefer(${relation}))\`. Otherwise do not read it for each row.`;
  if (isDjango)
    return `${at} \`${FORWARD.test(text ?? '') ? 'select' : 'prefetch'}_related('${name}')\`.`;
  return `${at} \`.options(selectinload(${relation}))\`, or \`joinedload(${relation})\` for a relation to one row.${RELATION.test(relation) ? ` Try it first, with SQLAlchemy 2: \`loadflame try --fix lazy-loading:${relation} --command '<how you start your API>' <your script>\`.` : ''}`;
}

/** @type {Record<StatementName['kind'], string>} */
const TOGETHER = {
  sql: 'Ask for all of it with one statement: a join, `GROUP BY` or `IN (…)`.',
  redis: 'Send the commands together: a pipeline, or `MGET`.',
  mongodb: 'Ask for all documents with one command: `$in`, or `bulk_write`.',
  http: 'Ask for all of it with one request, or send the requests in parallel.',
};

/** @param {StatementName} call */
const adviseRepeated = ({ kind, text }) =>
  kind === 'sql' && !/^\W*(?:SELECT|WITH)\b/i.test(text ?? '')
    ? 'Send all rows with one statement: `executemany`, `bulk_create`, or `session.execute(insert(…), rows)`.'
    : TOGETHER[kind];

/** @param {RepeatedCall} repeated @param {string} instead */
function describeGain({ endpoints: [first], savedMs, gain }, instead) {
  const of = first?.serverMs ? ` of the ${formatMs(first.serverMs)} in the server` : '';
  const saved =
    savedMs === null
      ? `${instead} saves CPU; the time is not known, because the CPU was saturated`
      : `${instead} would save up to ${formatMs(savedMs)}${of} per request`;
  if (!gain || gain.value < LEAST_GAIN) return `${saved}.`;
  const range = `${formatPercent(gain.low ?? gain.value)} to ${formatPercent(gain.high ?? gain.value)}`;
  return `${saved}. The same users would get about ${formatPercent(gain.value)} more requests per second (${range}).`;
}
