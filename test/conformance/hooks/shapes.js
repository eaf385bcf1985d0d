/** Hooks as people write them, good ones. */
import { setTimeout as wait } from 'node:timers/promises';
import { tell } from './collect.js';

export * from './collect.js';

/** @type {import('./hooks.d.ts').BeforeRequest} */
export const setHeader = (request, _context, _events, next) => {
  request.headers = { ...request.headers, 'x-hook': 'scenario' };
  next();
};

/** @type {import('./hooks.d.ts').BeforeRequest} */
export const setHeaderLater = async (request, context) => {
  await wait(5);
  request.headers = { ...request.headers, 'x-later': context.vars.$loopCount ?? 'no loop' };
};

/** @type {import('./hooks.d.ts').BeforeRequest} */
export const setJson = (request, _context, _events, next) => {
  request.json = { from: 'hook', name: '{{ name }}' };
  next();
};

/** @type {import('./hooks.d.ts').BeforeRequest} */
export const setBody = (request, _context, _events, next) => {
  request.body = 'body of {{ name }}';
  next();
};

/** @type {import('./hooks.d.ts').BeforeRequest} */
export const setUrl = (request, _context, _events, next) => {
  request.url = '/echo/from-hook?name={{ name }}';
  next();
};

/** @type {import('./hooks.d.ts').BeforeRequest} */
export const setUri = (request, _context, _events, next) => {
  request.uri = '/echo/uri-from-hook';
  next();
};

/** @type {import('./hooks.d.ts').BeforeRequest} */
export const setQuery = (request, _context, _events, next) => {
  request.qs = { from: 'hook' };
  next();
};

/** @type {import('./hooks.d.ts').BeforeRequest} */
export const setCookie = (request, _context, _events, next) => {
  request.cookie = { hooked: 'yes' };
  next();
};

/** @type {import('./hooks.d.ts').BeforeRequest} */
export const setTimeoutShort = (request, _context, _events, next) => {
  request.timeout = 0.2;
  next();
};

/** @type {import('./hooks.d.ts').BeforeRequest} */
export const stayHere = (request, _context, _events, next) => {
  request.followRedirect = false;
  next();
};

/** @type {import('./hooks.d.ts').BeforeRequest} */
export const useClientCertificate = (request, context, _events, next) => {
  request.https = {
    ...request.https,
    key: context.vars.$env.CLIENT_KEY,
    certificate: context.vars.$env.CLIENT_CERT,
    certificateAuthority: context.vars.$env.AUTHORITY,
  };
  next();
};

/** @type {import('./hooks.d.ts').AfterResponse} */
export const takeFromBody = (_request, response, context, _events, next) => {
  context.vars.taken = JSON.parse(response.body).name;
  next();
};

/** @type {import('./hooks.d.ts').AfterResponse} */
export const takeLater = async (_request, response, context) => {
  await wait(5);
  context.vars.status = response.statusCode;
};

/** @type {import('./hooks.d.ts').AfterResponse} */
export const refuse = (_request, _response, _context, _events, next) => {
  next(new Error('not what was expected'));
};

/** @type {import('./hooks.d.ts').Step} */
export const setName = (context, _events, done) => {
  context.vars.name = 'set by a step';
  done();
};

/** @type {import('./hooks.d.ts').Step} */
export const setNameLater = async context => {
  await wait(5);
  context.vars.name = 'set later';
};

/** @type {import('./hooks.d.ts').Step} */
export const setList = (context, _events, done) => {
  context.vars.list = ['x', 'y'];
  context.vars.objects = [{ id: 1 }, { id: 2 }];
  context.vars.nothing = [];
  context.vars.text = 'no list';
  done();
};

/** @type {import('./hooks.d.ts').Step} */
export const splitTarget = (context, _events, done) => {
  context.vars.hostAndPort = context.vars.target.replace('http://', '');
  done();
};

/** @type {import('./hooks.d.ts').Step} */
export const countUp = (context, _events, done) => {
  context.vars.n = (context.vars.n ?? 0) + 1;
  done();
};

/** @type {import('./hooks.d.ts').Step} */
export const countEvents = (_context, events, done) => {
  events.emit('counter', 'own.counter', 2);
  events.emit('histogram', 'own.histogram', 12);
  events.emit('customStat', { stat: 'own.stat', value: 3 });
  events.emit('rate', 'own.rate');
  events.emit('error', 'own error');
  done();
};

/** @type {import('./hooks.d.ts').WhileTrue} */
export const lessThanThree = (context, next) => {
  next((context.vars.n ?? 0) < 3);
};

/** @type {import('./hooks.d.ts').IfTrue} */
export const isAdmin = vars => {
  return vars.role === 'admin';
};

/** @type {import('./hooks.d.ts').Step} */
export const fail = (_context, _events, done) => {
  done(new Error('step failed'));
};

/** @type {import('./hooks.d.ts').Step} */
export const failWithCode = (_context, _events, done) => {
  done(Object.assign(new Error('with a code'), { code: 'EOWN' }));
};

/** @type {import('./hooks.d.ts').Step} */
export const before = (context, _events, done) => {
  tell('hook', { before: context.vars.name ?? null });
  done();
};

/** @type {import('./hooks.d.ts').Step} */
export const after = (context, _events, done) => {
  tell('hook', { after: context.vars.name ?? null });
  done();
};
