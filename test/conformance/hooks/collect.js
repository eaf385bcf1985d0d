/** Hooks that write down what they see, for the comparison. */
import { appendFileSync } from 'node:fs';

/** What each run has, whatever the script does. */
const GIVEN = ['target', '$environment', '$processEnvironment', '$env', '$testId', '$dirname'];

/** @param {string} where @param {Record<string, unknown>} what */
export function tell(where, what) {
  appendFileSync(String(process.env.CONFORMANCE_FILE), `${where} ${JSON.stringify(what)}\n`);
}

/** @param {any} context */
export function ownVars(context) {
  return Object.fromEntries(
    Object.entries(context.vars)
      .filter(([name]) => !GIVEN.includes(name))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** A step, or `beforeScenario`, `afterScenario`: the variables. @type {import('./hooks.d.ts').Step} */
export const collect = (context, _events, done) => {
  tell('vars', ownVars(context));
  done();
};

/** `beforeRequest`: what is about to be sent. @type {import('./hooks.d.ts').BeforeRequest} */
export const seeRequest = (request, context, _events, next) => {
  const { url, method, json, body, headers, name } = request;
  tell('request', { url, method, json, body, headers, name, vars: ownVars(context) });
  next();
};

/** `afterResponse`: what came back. @type {import('./hooks.d.ts').AfterResponse} */
export const seeResponse = (request, response, context, _events, next) => {
  const { date: _date, ...headers } = response.headers;
  tell('response', {
    url: request.url,
    status: response.statusCode,
    headers,
    body: String(response.body).slice(0, 300),
    vars: ownVars(context),
  });
  next();
};

/** `onError`: the error and the request that it belongs to. @type {import('./hooks.d.ts').OnError} */
export const seeError = (error, request, context, _events, next) => {
  tell('error', { error: error.code ?? error.message, url: request.url, vars: ownVars(context) });
  next();
};
