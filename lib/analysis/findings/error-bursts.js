import { formatDuration, formatNumberOf, formatPercent } from '../../format.js';

/** Bursts that are told one by one. */
const MOST_TOLD = 3;
/** Of all requests of the load. */
const BAD_SHARE = 0.05;
/** Refused tokens have a finding of their own. */
const TOLD_ELSEWHERE = '401';
const MOST_TEXT = 300;

/** @typedef {import('../logs.d.ts').ErrorBurst} ErrorBurst */

/** Errors that came together, and what the API's log said at that moment. @type {import('./index.js').FindingRule} */
export function findErrorBursts({ load }) {
  if (!load) return [];
  // Errors all the time are told by their share; of those it is the log that is news.
  const bursts = load.errorBursts
    .filter(({ code, isSteady, log }) => code !== TOLD_ELSEWHERE && (!isSteady || log.lines[0]))
    .sort((a, b) => b.errors - a.errors);
  return bursts.slice(0, MOST_TOLD).map((burst, index) => ({
    id: index === 0 ? 'error-burst' : `error-burst.${index + 1}`,
    severity: burst.errors >= load.http.requests * BAD_SHARE ? 'bad' : 'warn',
    title: `${describeBurst(burst, load.window.startMs)}${describeLog(burst)}.`,
    detail: explain(burst),
    evidence: [
      ...(burst.requests ? [shareOf(burst)] : []),
      ...burst.endpoints
        .slice(0, burst.endpoint ? 0 : 3)
        .map(({ name, errors }) => ({ label: name, value: `${errors} ×` })),
      ...burst.log.tracebacks.map(({ exception, place, count }) => ({
        label: place ?? 'traceback',
        value: `${exception}${count > 1 ? ` (${count} ×)` : ''}`,
      })),
      ...quoteLog(burst),
    ],
    advice: advise(burst),
    link: 'errors',
  }));
}

/** @param {ErrorBurst} burst @param {number} loadStartMs */
function describeBurst({ code, endpoint, errors, startMs, endMs, isSteady }, loadStartMs) {
  const isStatus = /^\d+$/.test(code);
  const where = endpoint ? ` on ${endpoint}` : isStatus ? ' on several endpoints' : '';
  const what = `${errors} × ${code}${where}`;
  if (isSteady) return `${what}, all the time`;
  const after = formatDuration(Math.max(0, startMs - loadStartMs));
  return `${what} within ${formatDuration(endMs - startMs)}, ${after} after the start`;
}

/** @param {ErrorBurst} burst */
function describeLog({ log }) {
  const [raised] = log.tracebacks;
  if (raised) {
    const place = raised.place ? ` in ${raised.place}` : '';
    return `: the log says ${raised.exception}${place}`;
  }
  const told = log.lines.find(({ level, matchedBy }) => level === 'error' || matchedBy !== 'time');
  return told && log.basis !== 'time' ? ': the log names the requests' : '';
}

/** @param {ErrorBurst} burst */
function explain({ log, isSteady }) {
  switch (log.basis) {
    case 'request-id':
      return 'Lines of the log were found by the request ids of these answers.';
    case 'traceparent':
      return 'Lines of the log were found by the trace ids that the requests carried; others stood beside them at the same time.';
    case 'time':
      return isSteady
        ? 'The log tells of errors in the same time; that they belong to these requests is likely, not certain.'
        : 'The log tells of errors in the same seconds; that they belong to these requests is likely, not certain.';
    default:
      return 'Far more errors came together than the rest of the run makes likely; no log says why.';
  }
}

/** @param {ErrorBurst} burst */
function shareOf({ errors, requests }) {
  const share = errors / Math.max(1, requests ?? 0);
  const of = formatNumberOf(requests ?? 0, 'request');
  return { label: 'failed', value: `${formatPercent(Math.min(1, share))} of ${of} meanwhile` };
}

/** The first line of what the log said. @param {ErrorBurst} burst */
function quoteLog({ log }) {
  const line = log.lines.find(({ level }) => level === 'error') ?? log.lines[0];
  if (!line || log.tracebacks.length > 0) return [];
  const [first = ''] = line.text.split('\n');
  const alike = line.alike > 1 ? ` (${line.alike} like it)` : '';
  return [{ label: 'log', value: `${first.slice(0, MOST_TEXT)}${alike}` }];
}

/** @param {ErrorBurst} burst */
function advise({ log }) {
  if (log.tracebacks[0]?.place) return `Look at ${log.tracebacks[0].place}.`;
  if (log.basis !== 'none') return 'Read these lines of the log in the errors section.';
  return "Name the API's logs in LOG_FILES, or a command that follows them in LOG_COMMAND, and measure again: the report then shows what they say at this moment.";
}
