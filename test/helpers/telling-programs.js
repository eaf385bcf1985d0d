/** Whoever a run meets says all it knows: a target, a scenario, a server in Python, a service of a study. */
import { appendFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { serve } from './listen.js';
import { WAYS } from './planted-secrets.js';
import { makeTempFolder } from './temp-folder.js';

/** @typedef {import('./planted-secrets.js').Planted} Planted */

/**
 * Gives out what is captured and kept as a cookie, and repeats all it knows in its errors and its log.
 * @param {import('node:test').TestContext} t @param {Planted} planted
 */
export async function startTellingTarget(t, planted) {
  const logFile = path.join(makeTempFolder(t), 'api.log');
  writeFileSync(logFile, '');
  /** What a run teaches is no secret before it has. @type {Set<string>} */
  const later = new Set(['accessToken', 'captured', 'sessionCookie', 'csrf', 'hookSecret']);
  const tell = (/** @type {string} */ kind, /** @type {string} */ value) =>
    `${kind} is ${Object.values(WAYS)
      .map(write => write(value))
      .join(' , ')}`;
  let answers = 0;
  let logins = 0;
  const forget = () => {
    for (const kind of ['accessToken', 'captured', 'sessionCookie', 'csrf']) later.delete(kind);
  };
  const target = await serve(t, async (request, response) => {
    for await (const _ of request);
    answers += 1;
    if (request.url === '/') return void response.end('ok');
    if (request.url === '/login') {
      response.setHeader('set-cookie', [
        `sid=${encodeURIComponent(planted.sessionCookie)}; HttpOnly`,
        `csrf_token=${planted.csrf}`,
      ]);
      const { accessToken, refreshToken, captured } = planted;
      // The first is that of the flow `before`, which captures the refresh token only.
      logins += 1;
      if (logins > 1) response.on('close', () => setTimeout(forget, 300));
      return void response.end(
        JSON.stringify({
          access_token: accessToken,
          refresh_token: refreshToken,
          deep: { x: captured },
        }),
      );
    }
    if (request.headers['x-api-key'] === planted.hookSecret) later.delete('hookSecret');
    const known = Object.entries(planted).filter(([kind]) => !later.has(kind));
    const way = tell(...(known[answers % known.length] ?? ['', '']));
    const told = `${request.url} ${JSON.stringify(request.headers)} ${way}`;
    appendFileSync(logFile, `ERROR: ${told.replaceAll('\n', ' ')}\n`);
    response.writeHead(500, { 'x-sent': encodeURIComponent(way) }).end(told);
  });
  return { port: Number(new URL(target).port), logFile, answers: () => answers };
}

/** @param {Planted} planted @param {number} port */
export function makeTellingScript(planted, port) {
  const leak = Array.from({ length: 30 }, () => ({ get: { url: '/leak' } }));
  return {
    config: {
      target: `http://loader:${encodeURIComponent(planted.urlPassword)}@127.0.0.1:${port}`,
      phases: [{ name: 'only', duration: 2, arrivalRate: 2 }],
      processor: './hooks.cjs',
      loadflame: {
        variables: { API_KEY: { secret: true }, AWS_SECRET_ACCESS_KEY: { secret: true } },
      },
      payload: { path: 'users.csv', fields: ['user', 'token'] },
      variables: {
        dbUrl: `postgresql://u:${planted.databasePassword}@db:5432/x`,
        password: [planted.oddPassword, planted.redisPassword],
        awsAccessKey: planted.awsAccess,
      },
      http: { defaults: { headers: { 'x-functions-key': planted.functionsKey } } },
    },
    before: {
      flow: [{ post: { url: '/login', capture: [{ json: '$.refresh_token', as: 'again' }] } }],
    },
    scenarios: [
      {
        flow: [
          {
            post: {
              url: '/login',
              capture: [
                { json: '$.access_token', as: 'a' },
                { json: '$.deep.x', as: 'userSecret' },
              ],
            },
          },
          {
            get: {
              url: `/leak?token=${planted.queryToken}&code=${planted.queryCode}&sig=${encodeURIComponent(planted.sasSignature)}`,
            },
          },
          {
            get: {
              url: '/leak',
              auth: { user: 'clerk', pass: planted.basicPassword },
              headers: { 'Ocp-Apim-Subscription-Key': planted.subscriptionKey },
            },
          },
          {
            get: {
              url: '/leak',
              headers: { authorization: `Token ${planted.bearer}` },
              cookie: { session: planted.slackToken },
            },
          },
          {
            get: {
              url: '/leak',
              headers: {
                'X-Auth-Token': planted.idToken,
                'x-api-key': '{{ $env.API_KEY }}',
                'x-aws': '{{ $env.AWS_SECRET_ACCESS_KEY }}',
              },
            },
          },
          { post: { url: '/leak', form: { client_secret: planted.formSecret } } },
          {
            post: {
              url: '/leak',
              json: {
                nested: { clientSecret: planted.jsonSecret },
                private_key: planted.privateKey,
                otp: planted.totp,
                passphrase: planted.passphrase,
              },
            },
          },
          { get: { url: '/leak?x={{ token }}', beforeRequest: 'addKey' } },
          { log: 'captured {{ a }} and {{ userSecret }}' },
          ...leak,
          { function: 'fail' },
        ],
      },
    ],
  };
}

/** The hooks of that script. @param {Planted} planted */
export function makeTellingHooks(planted) {
  return `if (!process.env.SHOP_API_TOKEN) throw new Error('it is not told');
     let count = 0; const key = ${JSON.stringify(planted.hookSecret)};
     module.exports = {
       addKey: (request, context, events, next) => { request.headers = { ...request.headers, 'x-api-key': key }; next(); },
       fail: (context, events, next) => { if (count++ % 4 !== 1) return next(); console.log('token', context.vars.a); next(new Error('refused ' + context.vars.userSecret + ' api_key=' + key)); },
     };`;
}

/** A server in Python that says all it knows, and has secrets on its command line. */
export const TELLING_SERVER = `
import base64, os, sys, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

password, broker = os.environ["DB_PASSWORD"], os.environ["BROKER_URL"]
if len(sys.argv) == 2:
    os.execv(sys.executable, [sys.executable, __file__, sys.argv[1], "--password", password, broker])

class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        print(self.path, password, base64.b64encode(password.encode()).decode(), flush=True)
        self.send_response(200)
        self.end_headers()

def burn():
    while True:
        sum(range(20000))
        time.sleep(0.01)

print("knows", broker, os.environ["SHOP_API_TOKEN"], flush=True)
threading.Thread(target=burn, daemon=True).start()
ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
`;

/** A service that says all it knows, and its study. @param {Planted} planted */
export function makeTellingStudy(planted) {
  const program = `const s = require('fs').readFileSync(process.env.STUDY_WORK + '/app.conf', 'utf8');
    console.log('starting with', process.env.DB_PASSWORD, s, process.env.DATABASE_URL);
    require('http').createServer((q, r) => { console.log(q.url, JSON.stringify(q.headers)); r.end('ok'); })
      .listen(process.env.STUDY_PORT, '127.0.0.1')`;
  return {
    title: 'What does it keep to itself?',
    factors: { size: [1] },
    services: {
      api: {
        command: `printf '%s' "$APP_CONF" > $STUDY_WORK/app.conf; exec ${process.execPath} -e "$PROGRAM"`,
        env: {
          PROGRAM: program,
          APP_CONF: `user = x\nclient_secret = ${planted.clientSecret}\n`,
          DB_PASSWORD: planted.password,
          DATABASE_URL: `postgresql://u:${planted.databasePassword}@db/x`,
        },
        ready: { url: '/' },
      },
    },
    target: { url: 'http://127.0.0.1:{{ $env.STUDY_PORT_API }}' },
    scenario: {
      scenarios: [
        {
          flow: [
            {
              post: {
                url: `/x?token=${planted.queryToken}`,
                headers: { 'x-api-key': planted.apiKey },
                json: { password: planted.oddPassword },
              },
            },
          ],
        },
      ],
    },
    load: { model: 'closed', steps: [1] },
    warmUp: '200ms',
    duration: '4s',
    settle: '100ms',
    repeats: 1,
  };
}
