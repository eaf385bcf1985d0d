/** Findings about database statements and other calls. Their text and places come from outside. */
import { listPresent } from '../base/files/maps.js';
import { formatBytes, formatCount, formatMs, formatPercent } from '../base/format.js';
import { ACTS, nameCall, nameCalled, nameCaller, waitOf } from './calls.js';
import { formatFew, joinWords, listFirst, MOST_NAMED } from './words.js';

/** @import { Act, Statement, StatementName } from '../run/facts/calls.d.ts' */
/** @import { CallOfEndpoint, FindingTable, RepeatedCall } from '../run/facts/findings.d.ts' */
/** @import { Catalogue, Entry, StatementWords } from './text.d.ts' */

/** Users would not notice a smaller gain. */
const LEAST_GAIN = 0.01;
const WRITES =
  'Keep the file open, or write many at once: a queue, a thread of its own, a database.';
/** @param {Pick<Act, 'kind' | 'text'>} act */
const isWritten = ({ kind, text }) => kind === 'file' && /^write /.test(text ?? '');
/** "imports `distributed`" @param {Pick<Act, 'kind' | 'text'>} act */
function nameAct(act) {
  const [, module] = (act.kind === 'import' && /^import ([\w.]{1,80})$/.exec(act.text ?? '')) || [];
  if (module) return `imports \`${module}\``;
  return isWritten(act) ? 'writes files' : ACTS[act.kind][0];
}
const MEANWHILE =
  'Meanwhile the request holds a connection of the database, and locks on the rows that it wrote.';

/** @typedef {'n-plus-one' | 'repeated-call' | 'act-per-request' | 'counted-page' | 'write-per-read' | 'slow-call' | 'pool-wait' | 'open-transaction' | 'held-transaction' | 'unused-rows'} Id */
/** @type {Catalogue<Pick<FindingTable, Id>, StatementWords>} */
export const CALL_FINDINGS = {
  'n-plus-one': repeated => ({
    title: `N+1: ${doEndpoints(repeated, COUNTS.test(repeated.call.text ?? '') ? 'count' : 'load')} ${repeated.call.relation ? nameRelations(repeated) : 'rows'} with ${describeRepeats(repeated, 'queries')}.`,
    detail: repeated.call.relation
      ? `The code reads the ${isColumn(repeated.call) ? 'deferred column' : 'relation'} of one object after the other, and the ORM sends a query each time.`
      : 'A loop sends a query for each row of another query.',
    evidence: listRepeats(repeated),
    advice: `${adviseRows(repeated)}${repeated.alike ? ' So the others, each with the call beside it.' : ''}`,
    gain: describeGain(repeated, `One query for all rows${repeated.alike ? ' of each' : ''}`),
  }),
  'repeated-call': repeated => ({
    title: nameRepeats(repeated),
    evidence: listRepeats(repeated),
    advice: isTwice(repeated)
      ? 'Values are not recorded. If they are the same, keep the first result for the rest of the request; if not, ask for both with one statement.'
      : adviseRepeated(repeated.call),
    gain: describeGain(repeated, isTwice(repeated) ? 'Executing it once' : 'One for all'),
  }),
  'act-per-request': ({ act, endpoints }) => ({
    title: `Each request to ${nameEndpoints(endpoints)} ${nameAct(act)}: ${nameCounts(endpoints)} per request${act.file === null ? '' : `, at ${nameCaller(act)}`}.`,
    detail: 'The companion counts it, and not its time.',
    evidence: [
      ['what', nameCall(act)],
      ...endpoints.slice(0, MOST_NAMED).map(own => [own.name, describeOften(own)]),
    ],
    advice: isWritten(act) ? WRITES : ACTS[act.kind][1],
  }),
  'counted-page': ({ call, page, endpoint }) => ({
    title: `${endpoint.name} counts all rows for each page of them${call.file === null ? '' : `, at ${nameCaller(call)}`}: ${describeTime(endpoint)}.`,
    detail: 'The database visits each row that it counts, however few the page has.',
    evidence: [
      ...listCall(call),
      ['the page', `${nameCall(page)}, ${formatMs(page.meanMs)} on average`],
      [endpoint.name, describeUse(endpoint)],
    ],
    advice:
      'Send no total: read one row more than the page has, and page by key (`WHERE id > …`). Otherwise keep the total for some seconds, or estimate it.',
  }),
  'write-per-read': ({ call, first, others }) => ({
    title: `Each request to ${first.name} writes: ${nameWrite(call)}${call.file === null ? '' : `, at ${nameCaller(call)}`}, ${describeTime(first)}${first.commitMs > 0 ? ', with the commit' : ''}.`,
    detail: 'The request waits for the write, and for others that write the same row.',
    evidence: [
      ...listCall(call),
      ...[first, ...others].slice(0, MOST_NAMED).map(own => [own.name, describeUse(own)]),
    ],
    advice:
      'Write it after the response, or many rows at once. Of a time that something was last used, once a minute is enough.',
  }),
  'slow-call': ({ call, endpoint, responseMs, isCpuBound, isOfPartner, inTurn, part = null }) => ({
    title: inTurn
      ? `${endpoint.name} makes ${formatCount(inTurn.calls.length)} calls one after the other, at ${joinWords(inTurn.calls.flatMap(own => nameCaller(own) ?? []))}: ${describeTime({ ...endpoint, msPerRequest: inTurn.ms })}.`
      : part === null
        ? `One ${nameOne(call)} sets the p95 of ${endpoint.name}: ${formatMs(call.p95Ms)} of ${formatMs(responseMs)}${sayPooled(call)}.`
        : `One ${nameOne(call)} takes about ${Math.round(part * 100)} % of ${call.system === 'sqlite' ? 'the CPU' : 'the time'} of ${endpoint.name}${call.file === null ? '' : `, at ${nameCaller(call)}`}: ${describeTime(endpoint)}${sayPooled(call)}.`,
    detail:
      listPresent(
        part !== null &&
          AT_RANDOM.test(call.text ?? '') &&
          'A random order sorts all rows that the conditions choose, however few are read.',
        inTurn && 'At the same time, they would take longer together than the request waits.',
        isCpuBound &&
          'The CPU of the workers is saturated: a part of this time may be spent waiting for it.',
      ).join(' ') || null,
    evidence: [
      ...listCall(call),
      ['each execution', `${formatMs(call.meanMs)} on average, ${formatMs(call.p95Ms)} at p95`],
      ['executions', describeUse(endpoint)],
    ],
    advice:
      call.kind === 'sql'
        ? AT_RANDOM.test(call.text ?? '')
          ? 'It sorts all rows that its conditions choose, by a random number, and no index helps. Take a random `OFFSET` below their number, or a key that was drawn before.'
          : TAKES_A_LOCK.test(call.text ?? '')
            ? 'It waits while another transaction holds the lock: take it later, release it earlier, and make no calls in between.'
            : WAITS_FOR_LOCKS.test(call.text ?? '')
              ? 'It may wait for a row that another transaction has locked: keep transactions that write short, and write rows that all requests share less often.'
              : adviseSlow(call)
        : isOfPartner
          ? 'It waits until another process adds an item: let more processes do that work, or make each piece of work shorter. A client can also ask again later for the result.'
          : inTurn
            ? 'If none needs what another one returns, start them at the same time: `asyncio.gather` or a task group, in threads a `ThreadPoolExecutor`. The longest is what remains.'
            : (call.poolShare ?? 0) > MOSTLY
              ? 'Make the pool of its client larger (requests: `pool_maxsize`; httpx: `limits`; aiohttp: `limit`), if the service can serve more at a time.'
              : 'Avoid waiting for it in the request: cache the result, or set a timeout. What the response does not need, a task can do.',
  }),
  'pool-wait': ({ first, others }) => ({
    title: `Requests to ${first.name} wait for a connection of the pool: ${describeTime(first)}.`,
    detail:
      'All connections of the pool are taken. A request holds its connection until its transaction ends, even while it calculates or waits for something else.',
    evidence: others.slice(0, MOST_NAMED - 1).map(one => [one.name, describeTime(one)]),
    advice:
      'End transactions earlier: commit, or close the session, before other work. Then raise the size of the pool (`pool_size`, `max_overflow`, `max_size`) as far as the database allows.',
  }),
  'open-transaction': ({ call, openMs, isBound }) => ({
    title: `A transaction stays open while ${doEndpoints(call, 'call')} ${nameCalled(call)}: ${isBound ? 'at most ' : ''}${formatMs(openMs)} per request.`,
    detail: MEANWHILE,
    evidence: [...listCall(call), ['calls', `${formatFew(call.perRequest)} per request`]],
    advice: 'Make the call before the transaction begins, or after its commit.',
  }),
  'held-transaction': ({ name, heldMs, usedMs, lock }) => ({
    title: `${name} keeps a transaction open for ${formatMs(heldMs)} per request, and uses it for ${formatMs(usedMs)}.`,
    detail: MEANWHILE,
    evidence: lock ? [['locks rows', nameCall(lock)], ...listCall(lock).slice(1)] : [],
    advice:
      'Commit, or close the session, before other work: waits, calls, rendering. Lock rows as late as possible.',
  }),
  'unused-rows': ({ call, endpoint, rows, responseBytes }) => ({
    title: `${endpoint} reads ${formatCount(Math.round(rows))} rows per request for a response of ${formatBytes(responseBytes)}.`,
    detail:
      'The rows cannot be in such a short response: the application counts or filters them itself.',
    evidence: listCall(call),
    advice:
      'Let the database do it: `COUNT`, `SUM`, `EXISTS`, a `WHERE` or a `LIMIT` in the statement.',
  }),
};

const WAITS_FOR_LOCKS = /^\W*(?:INSERT|UPDATE|DELETE|REPLACE|MERGE)\b|\bFOR (?:NO KEY )?UPDATE\b/i;
const TAKES_A_LOCK = /^\W*(?:BEGIN [IE]|LOCK )|\b(?:pg_advisory_(?:xact_)?|get_)lock\w* ?\(/i;
const COUNTS = /^SELECT COUNT\(/i;
const AT_RANDOM = /\bORDER BY (?:random|rand|newid)\(\)/i;

const MOSTLY = 0.5;
/** The planner of PostgreSQL considers all orders of eight tables. */
const MANY_JOINS = 7;
const MANY_ROWS = 1000;
const ASK_FOR_PLAN =
  'Why is not known from its time alone: planning, rows that it reads or sorts, a lock, or fetching. `--explain-sql` asks a development database for its plan, and PostgreSQL for the planning time.';

/** @param {Pick<Statement, 'text' | 'rows'>} call */
function adviseSlow({ text, rows }) {
  const joins = (text ?? '').match(/\bJOIN\b/gi)?.length ?? 0;
  const joined = joins >= MANY_JOINS && `It joins ${joins + 1} tables, which takes planning.`;
  const many = (rows ?? 0) >= MANY_ROWS && `It returns ${formatCount(rows ?? 0)} rows.`;
  return [joined, many, ASK_FOR_PLAN].filter(Boolean).join(' ');
}

/** @param {Pick<Statement, 'poolShare'>} call */
const sayPooled = ({ poolShare }) =>
  poolShare
    ? `, about ${formatPercent(poolShare)} of it the wait for a free connection of its client`
    : '';

/** @param {StatementName} call */
const nameOne = call => (call.kind === 'sql' ? 'statement' : `call of ${nameCalled(call)}`);

/** @param {Pick<RepeatedCall, 'call'>} repeated */
const isTwice = ({ call: { kind, most } }) => most === 2 && kind !== 'connect';

/** @param {RepeatedCall} repeated */
function nameRepeats({ call, endpoints }) {
  if (call.kind === 'connect')
    return `${doEndpoints({ endpoints }, 'open')} new connections, ${nameCounts(endpoints)} per request: ${nameCall(call)}.`;
  return `${doEndpoints({ endpoints }, call.kind === 'sql' ? 'send' : 'make')} the same ${nameOne(call)} ${isTwice({ call }) ? 'twice' : 'again and again'}: ${describeRepeats({ endpoints }, 'times')}.`;
}

/** "GET /orders loads", "GET /a and GET /b load" @param {{endpoints: {name: string}[]}} of @param {string} verb */
const doEndpoints = ({ endpoints }, verb) =>
  `${nameEndpoints(endpoints)} ${verb}${endpoints.length > 1 ? '' : 's'}`;

/** "GET /orders", "GET /a and GET /b", "GET /a and 6 others" @param {{name: string}[]} endpoints */
function nameEndpoints(endpoints) {
  const names = endpoints.map(({ name }) => name);
  return joinWords(listFirst(names, names.length > MOST_NAMED ? 1 : MOST_NAMED));
}

/** "`Order.items` and `Order.customer`" @param {RepeatedCall} repeated */
function nameRelations({ call, alike = [{ call, perRequest: 0 }] }) {
  const names = new Set(alike.map(one => `\`${one.call.relation}\``));
  return joinWords(listFirst([...names], MOST_NAMED));
}

/** "7.0", "5.0 to 7.0" @param {{perRequest: number}[]} endpoints */
function nameCounts(endpoints) {
  const counts = endpoints.map(({ perRequest }) => perRequest).sort((a, b) => a - b);
  return [...new Set([counts[0], counts.at(-1)].map(formatFew))].join(' to ');
}

/** "5.0 to 50 queries per request, 38.1 ms of 61.0 ms in the server at GET /orders" @param {Pick<RepeatedCall, 'endpoints'>} repeated @param {string} noun */
const describeRepeats = ({ endpoints: [first, ...others] }, noun) =>
  first
    ? `${nameCounts([first, ...others])} ${noun} per request, ${describeTime(first)}${others.length > 0 ? ` at ${first.name}` : ''}`
    : '';

/** @param {RepeatedCall} repeated @returns {Entry[]} */
function listRepeats({ call, endpoints, alike }) {
  return [
    ...listCall(call),
    ...(alike ?? []).map(one => [one.call.relation, adviseEach(one)]),
    ...endpoints.slice(0, MOST_NAMED).map(own => {
      const view = own.view ? `, ${own.view.function} (${own.view.file})` : '';
      return [`${own.name}${view}`, describeUse(own)];
    }),
    [
      'each execution',
      call.meanMs > 0 &&
        `${endpoints[0]?.isBound ? 'at most ' : ''}${formatMs(call.meanMs)} on average`,
    ],
    ['the most in one request', !alike && formatCount(call.most)],
  ];
}

/** @param {CallOfEndpoint} use */
const describeUse = use => describeOften(use) + (use.msPerRequest ? `; ${describeTime(use)}` : '');

/** @param {Pick<CallOfEndpoint, 'perRequest' | 'ofRequests'>} use */
const describeOften = ({ perRequest, ofRequests }) =>
  `${formatFew(perRequest)} per request on average, all in ${formatPercent(ofRequests)} of its requests`;

/** "38.1 ms of 61.0 ms in the server" @param {Pick<CallOfEndpoint, 'msPerRequest' | 'serverMs' | 'isBound'>} times */
const describeTime = ({ msPerRequest, serverMs, isBound }) =>
  `${isBound || msPerRequest > (serverMs ?? Infinity) ? 'at most ' : ''}${formatMs(waitOf(msPerRequest, serverMs))}${serverMs === null ? '' : ` of ${formatMs(serverMs)} in the server`}`;

/** @param {Pick<StatementName, 'function' | 'file' | 'line'>} call */
const nameSender = call => call.file && `${call.function ?? 'the module'} (${nameCaller(call)})`;

/** @param {StatementName & Pick<Statement, 'alsoFrom'>} call @returns {[string, string | null][]} */
function listCall(call) {
  return [
    [call.kind === 'sql' ? 'statement' : 'call', nameCall(call)],
    ['sent from', nameLines(call, nameSender) || null],
  ];
}

/** Django quotes all names, and counts and looks for rows in its own words. */
const DJANGO =
  /^SELECT (?:DISTINCT )?(?:(["`])\w+\1\.\1\w+\1|\? AS ["`]a["`]|COUNT\(\*\) FROM \(|\w+\(\*?(?:DISTINCT )?(?:(["`])\w+\2\.\2\w+\2)?\) AS ["`])/;
/** One condition on a key; that of a generic relation is on two columns. */
const ONE_KEY =
  /^\(?(?:["`]\w+["`]\.["`]content_type_id["`] = \? AND )?["`]\w+["`]\.["`]\w+["`] (?:= \?|IN \(\?\))\)?$/;

/** The remedy takes no other names. */
const RELATION = /^\w+(?:\.\w+)+$/;

/**
 * A column that is loaded later is in the statement's own list; a relation is not, unless its table has such a column,
 * too. SQLAlchemy asks for a column without the key that it compares, and for a relation with all columns. What begins with
 * an expression, such as `(SELECT count(…`, is a column that is calculated.
 * @param {StatementName} call
 */
function isColumn({ relation, text }) {
  const [list = '', rest = ''] = (text ?? '').replace(/["`[\]]/g, '').split(/ FROM (.*)/is, 2);
  const [, where = ''] = rest.split(/ WHERE (.*)/is, 2);
  const namesIn = (/** @type {string} */ part) => [...(part.match(/\w+(?![\w.])/g) ?? [])];
  const isNamed = namesIn(list).includes(relation?.split('.').at(-1) ?? '');
  const hasKey = namesIn(where).some(own => namesIn(list).includes(own));
  if (DJANGO.test(text ?? '')) return isNamed;
  return /^SELECT (?:\(|\w+\()/i.test(text ?? '') || (isNamed && !hasKey);
}

/**
 * A plain prefetch serves `.all()`; aggregates take the query name, which lacks `_set`. A `get` for a forward relation asks for at most 21 rows; `first` sorts, too.
 * @param {string} text @param {string} name
 */
function adviseDjango(text, name) {
  const [list = '', where = '', ...others] = text.split(' WHERE ');
  const [condition = '', ...ends] = where.split(/ (?=ORDER BY |LIMIT )/);
  const [isSorted, isCut] = ['ORDER', 'LIMIT'].map(word => ends.some(end => end.startsWith(word)));
  const isOfKey = others.length === 0 && ONE_KEY.test(condition);
  const filter = isOfKey ? '' : ', with the condition of the statement';
  if (/^SELECT \w+\(/.test(list))
    return `\`.annotate(…=Count('${name.replace(/_set$/, '')}'))\`, or the aggregate of the statement${filter && ', with `filter=Q(…)`'}.`;
  if (/^SELECT \? AS/.test(list))
    return `\`.annotate(…=Exists(….filter(…=OuterRef('pk'))))\`${filter}.`;
  // the column of a forward relation is mostly `id`, that of a foreign key `…_id`
  if (isOfKey && isCut && !isSorted && !/(?<!_ptr)_id["`] = /.test(condition))
    return `\`select_related('${name}')\`.`;
  const plain = `\`prefetch_related('${name}')\``;
  const own = `\`prefetch_related(Prefetch('${name}', queryset=…, to_attr='…'))\``;
  const filtered = `${own}, with the conditions and the order of the statement, and read that attribute: \`.filter()\` and \`.first()\` in the loop ignore ${plain}.`;
  if (!isOfKey) return filtered;
  if (isCut)
    return `${isSorted ? '' : `\`select_related('${name}')\` for a one-to-one relation. `}${plain} if the loop takes \`.all()[0]\` or a slice. Otherwise ${filtered}`;
  // `values_list()` asks for a single column, or names each; a model has several, without other names
  if (/^SELECT (?:DISTINCT )?\S+ (?:AS|FROM) /.test(list))
    return `${plain}, and read the prefetched objects: \`.values_list()\` and \`.filter()\` of a prefetched relation query again.`;
  return isSorted ? `${plain}, or ${own} if the loop calls \`.order_by()\`.` : `${plain}.`;
}

/** The remedy of the companion that loads a relation with its rows, in SQLAlchemy; null if it does not fit. @param {RepeatedCall} repeated */
export function remedyOfRows({ call, parents }) {
  const isLazy = !parents && !isColumn(call) && !DJANGO.test(call.text ?? '');
  return isLazy && RELATION.test(call.relation ?? '') ? `lazy-loading:${call.relation}` : null;
}

/** @param {StatementName & Pick<Statement, 'alsoFrom'>} call @param {(one: Pick<StatementName, 'function' | 'file' | 'line'>) => string | null} name of a line */
function nameLines(call, name) {
  const lines = [call, ...(call.alsoFrom ?? [])].flatMap(one => name(one) ?? []);
  return joinWords(listFirst(lines, MOST_NAMED));
}

/** Advice for one of several relations. @param {NonNullable<RepeatedCall['alike']>[0]} one */
const adviseEach = ({ call, perRequest }) =>
  `${formatFew(perRequest)} per request, from ${nameLines(call, nameCaller) || 'a line that is not known'}: ${adviseRows({ call, parents: null }).replace(`${AT} `, '')}`;

/** Advice to load rows with the query of their parents. @param {Pick<RepeatedCall, 'call' | 'parents'> & Partial<RepeatedCall>} repeated */
function adviseRows({ call, parents, endpoints }) {
  const { relation, text } = call;
  const isView = [undefined, call.function].includes(endpoints?.[0]?.view?.function);
  if (!relation && TAKES_KEYS.test(text ?? '')) return ALL_KEYS;
  if (!relation)
    return `The loop around ${nameCaller(call) ?? 'it'}${isView || !call.function ? '' : `, or around a call of \`${call.function}\`,`} can ask for all rows with one query: a join, or \`WHERE … IN (…)\` before the loop.`;
  if (parents)
    return `The rows of \`${relation.split('.').at(-2)}\` come one by one themselves, from ${nameCaller(parents) ?? 'another line'}: an option for their query saves at most half of the statements. Load both before the loop with one statement: a join, or \`WHERE … IN (…)\`.`;
  const name = relation.slice(relation.lastIndexOf('.') + 1);
  const isDjango = DJANGO.test(text ?? '');
  if (isColumn(call))
    return isDjango
      ? `${AT} take \`${name}\` out of \`.defer()\`, or add it to \`.only()\`. Otherwise do not read it for each row.`
      : `${AT} \`.options(undefer(${relation}))\`. Otherwise do not read it for each row.`;
  if (isDjango)
    return `${AT} ${adviseDjango(text ?? '', name)}${endpoints ? ` If that query is of another model than \`${relation.split('.').at(-2)}\`, the name is the path to it, such as \`…__${name}\`.` : ''}`;
  return `${AT} \`.options(selectinload(${relation}))\`, or \`joinedload(${relation})\` for a relation to one row.`;
}

const AT = 'Load it with the query of the rows:';
/** Its only condition is a list of keys, as that of an ORM that loads a relation. */
const TAKES_KEYS = /\bWHERE \S+ (?:IN|= ?ANY) ?\(\?\)(?! AND\b)/i;
const ALL_KEYS =
  'It takes a list of keys already: collect the keys of all executions, and execute it once. `selectinload` and `prefetch_related` do so where one query loads all parents.';

/** @type {Record<StatementName['kind'], string>} */
const TOGETHER = {
  sql: 'Ask for all of it with one statement: a join, `GROUP BY` or `IN (…)`.',
  redis: 'Send the commands together: a pipeline, or `MGET`.',
  mongodb: 'Ask for all documents with one command: `$in`, or `bulk_write`.',
  http: 'Ask for all of it with one request, or send the requests in parallel.',
  connect:
    'Keep connections open: a pool for a database (Django: `CONN_MAX_AGE`), one client or session for all requests to a service.',
};

const WRITTEN = /^\W*(\w+(?: OR \w+)?(?: INTO| FROM)? ["`]?[\w.]{1,60})/;

/** "`UPDATE api_keys`" @param {StatementName} call */
const nameWrite = ({ text }) =>
  `\`${WRITTEN.exec(text ?? '')?.[1]?.replace(/["`]/g, '') ?? 'a row'}\``;

/** An event of a pool sends it to each new connection. */
const SETS_UP = /^\W*PRAGMA\s+[\w.]+\s*=/i;

/** @param {StatementName} call */
function adviseRepeated({ kind, text }) {
  if (kind === 'sql' && SETS_UP.test(text ?? ''))
    return `It sets up new connections: there are as many of them. ${TOGETHER.connect}`;
  if (kind === 'sql' && /^\W*(?:PRAGMA|SHOW|DESCRIBE)\b/i.test(text ?? ''))
    return 'Ask once and keep the response: a schema and settings rarely change.';
  if (kind === 'sql' && TAKES_KEYS.test(text ?? '')) return ALL_KEYS;
  const [verb = ''] = /(?:INSERT|REPLACE|UPDATE|DELETE)\b/iy.exec((text ?? '').trimStart()) ?? [];
  if (kind !== 'sql' || verb === '') return TOGETHER[kind];
  return /^(?:INSERT|REPLACE)$/i.test(verb)
    ? 'Send all rows with one statement: `executemany`, `bulk_create`, or `session.execute(insert(…), rows)`.'
    : 'Execute it once for all rows: `WHERE … IN (…)`. Without values of the row, once is enough, perhaps in a task outside of requests.';
}

/** @param {RepeatedCall} repeated @param {string} other */
function describeGain({ call, endpoints: [first], savedMs, savedCpuMs, gain }, other) {
  if (call.kind === 'connect' && savedMs === null)
    return 'Its time is part of the call that needs the connection.';
  const instead = call.kind === 'connect' ? 'A connection that stays open' : other;
  const cpuMs = call.kind === 'sql' ? savedCpuMs : 0;
  const most = Math.min((savedMs ?? 0) + cpuMs, first?.serverMs ?? Infinity);
  const saved =
    savedMs === null
      ? `${instead} saves ${cpuMs > 0 ? `up to ${formatMs(cpuMs)} of CPU per request` : 'CPU'}; the time is not known, because calls also waited for their worker`
      : `${instead} would save up to ${formatMs(most)}${first?.serverMs ? ` of the ${formatMs(first.serverMs)} in the server` : ''} per request${cpuMs > 0 ? ', with the CPU of ORM and driver' : ''}`;
  if (!gain || gain.value < LEAST_GAIN) return `${saved}.`;
  return `${saved}. The same users would get about ${formatPercent(gain.value)} more requests per second (${formatPercent(gain.low ?? gain.value)} to ${formatPercent(gain.high ?? gain.value)}).`;
}
