/** What a well-behaved server answers, by path; `hostile-routes.js` has what Node would not send. */
import { setTimeout as wait } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';

const MEGABYTE = Buffer.alloc(1 << 20, 'x');
const SHOP = {
  id: 7,
  name: 'shop',
  open: true,
  owner: null,
  tags: ['a', 'b', 'c'],
  nested: { deep: { value: 'found' } },
  items: [{ id: 1, title: 'one' }],
};
const PAGE = `<!doctype html><title>Shop</title>
<a class="first" href="/a">A</a><a href="/b">B</a>
<form><input name="csrf" value="t0ken-1"></form> order-4711 ordered <b>Ünïcödé ☃</b>`;
const FEED = '<?xml version="1.0"?><feed><entry id="e1">First</entry><entry id="e2"/></feed>';

/**
 * @typedef {object} Asked
 * @property {import('node:http').IncomingMessage} request
 * @property {import('node:http').ServerResponse} response
 * @property {URL} url
 * @property {Buffer} body
 * @property {string} other address of the other host
 */

/** @type {Record<string, (asked: Asked) => unknown>} the longest matching start of a path wins */
const ROUTES = {
  '/': ({ response }) => response.end('ok'),
  '/echo': ({ request, response, url, body }) =>
    json(response, {
      method: request.method,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      // Sorted: an order of headers means nothing.
      headers: Object.fromEntries(Object.entries(request.headers).sort()),
      body: body.toString(),
    }),
  '/json': ({ response }) => json(response, SHOP),
  '/json/big': ({ response }) => json(response, null, '{"id": 9007199254740993}'),
  '/json/text': ({ response }) => json(response, 'just text'),
  '/json/broken': ({ response }) => json(response, null, '{"id": 7, "name": '),
  '/json/empty': ({ response }) => json(response, null, ''),
  '/json/mislabeled': ({ response }) => send(response, 'text/plain', JSON.stringify(SHOP)),
  '/page': ({ response }) => send(response, 'text/html; charset=utf-8', PAGE),
  '/feed': ({ response }) => send(response, 'application/xml', FEED),
  '/status': ({ response, url }) => {
    response.statusCode = Number(url.pathname.split('/')[2]);
    response.end(
      [204, 304].includes(response.statusCode) ? undefined : `status ${response.statusCode}`,
    );
  },
  '/reset-content': ({ response }) => response.writeHead(205).end(),
  '/length': ({ response }) => response.writeHead(200, { 'content-length': 1234 }).end(),
  '/empty': ({ response }) => response.writeHead(200, { 'content-length': 0 }).end(),
  '/twice': ({ response }) => {
    response.setHeader('x-twice', ['one', 'two']);
    response.setHeader('x-count', '42');
    response.end('twice');
  },
  '/early-hints': ({ response }) =>
    response.writeEarlyHints({ link: '</style.css>; rel=preload' }, () => response.end('hinted')),
  '/slow': async ({ response, url }) => {
    await wait(Number(url.searchParams.get('ms')));
    response.end('slow');
  },
  '/slow-body': async ({ response, url }) => {
    response.write('first');
    await wait(Number(url.searchParams.get('ms')));
    response.end('last');
  },
  '/never': () => {},
  '/drip': ({ response }) => {
    const timer = setInterval(() => response.write('drop'), 50);
    response.on('close', () => clearInterval(timer));
  },
  '/big': async ({ response, url }) => {
    for (let i = 0; i < Number(url.searchParams.get('mb')); i += 1) {
      if (!response.write(MEGABYTE)) await new Promise(resolve => response.once('drain', resolve));
    }
    response.end();
  },
  '/gzip': ({ response }) => encoded(response, 'gzip', gzipSync(JSON.stringify(SHOP))),
  '/deflate': ({ response }) => encoded(response, 'deflate', deflateSync(JSON.stringify(SHOP))),
  '/brotli': ({ response }) => encoded(response, 'br', brotliCompressSync(JSON.stringify(SHOP))),
  '/zstd': ({ response }) => encoded(response, 'zstd', zstdCompressSync(JSON.stringify(SHOP))),
  '/gzip/lie': ({ response }) => encoded(response, 'gzip', Buffer.from('{"id": 7}')),
  '/gzip/cut': ({ response }) =>
    encoded(response, 'gzip', gzipSync(JSON.stringify(SHOP)).subarray(0, 40)),
  '/gzip/empty': ({ response }) => encoded(response, 'gzip', Buffer.alloc(0)),
  '/brotli/lie': ({ response }) => encoded(response, 'br', Buffer.from('this is not brotli')),
  '/encoding/unknown': ({ response }) => encoded(response, 'rot13', Buffer.from('uryyb')),
  '/redirect': ({ response, url }) => {
    const [, , code, ...rest] = url.pathname.split('/');
    redirect(response, Number(code), `/${rest.join('/')}${url.search}`);
  },
  '/redirects': ({ response, url }) => {
    const left = Number(url.pathname.split('/')[2]);
    redirect(response, 302, left > 1 ? `/redirects/${left - 1}` : '/echo');
  },
  '/redirect-loop': ({ response }) => redirect(response, 302, '/redirect-loop'),
  '/redirect-relative': ({ response }) => redirect(response, 302, 'json'),
  '/redirect-unicode': ({ response }) => redirect(response, 302, '/echo/%C3%BC?q=%E2%98%83'),
  '/redirect-fragment': ({ response }) => redirect(response, 302, '/echo#part'),
  '/redirect-invalid': ({ response }) => redirect(response, 302, 'http://[nonsense'),
  '/redirect-mailto': ({ response }) => redirect(response, 302, 'mailto:nobody@example.invalid'),
  '/redirect-away': ({ response, other }) => redirect(response, 302, `${other}/echo`),
  '/redirect-cookie': ({ response }) => {
    response.setHeader('set-cookie', 'hop=1; Path=/');
    redirect(response, 302, '/echo');
  },
  '/no-location': ({ response, url }) =>
    response.writeHead(Number(url.pathname.split('/')[2])).end(),
  '/cookie': ({ response, url }) => {
    response.setHeader('set-cookie', url.searchParams.getAll('set'));
    response.end('cookies');
  },
  '/login': ({ response, body }) => {
    response.setHeader('set-cookie', 'session=s1; Path=/; HttpOnly');
    json(response, { token: `token of ${body}` });
  },
  '/secret': ({ request, response }) => {
    const asked = request.headers.authorization !== undefined;
    if (!asked) response.setHeader('www-authenticate', 'Basic realm="secret"');
    response.writeHead(asked ? 200 : 401).end(asked ? 'welcome' : 'who are you?');
  },
};

/** @param {Asked} asked */
export async function answer(asked) {
  const { pathname } = asked.url;
  const start = Object.keys(ROUTES)
    .filter(path => pathname === path || pathname.startsWith(`${path}/`))
    .sort((a, b) => b.length - a.length)[0];
  if (start === undefined) asked.response.writeHead(404).end('nothing here');
  else await ROUTES[start]?.(asked);
}

/** @param {import('node:http').ServerResponse} response @param {unknown} value @param {string} [text] */
function json(response, value, text = JSON.stringify(value)) {
  send(response, 'application/json', text);
}

/** @param {import('node:http').ServerResponse} response @param {string} type @param {string} text */
function send(response, type, text) {
  response.writeHead(200, { 'content-type': type, 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

/** @param {import('node:http').ServerResponse} response @param {string} encoding @param {Buffer} body */
function encoded(response, encoding, body) {
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-encoding': encoding,
    'content-length': body.length,
  });
  response.end(body);
}

/** @param {import('node:http').ServerResponse} response @param {number} code @param {string} location */
function redirect(response, code, location) {
  response.writeHead(code, { location }).end(`see ${location}`);
}
