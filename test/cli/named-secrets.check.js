/**
 * Secrets that nobody declares, under the names of forms all over the world: a server with the companion repeats them
 * in responses, log, statements and calls, a script, a recording and a log hold them, and nothing of them is left.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { stringify } from 'yaml';
import { startGunicorn } from '../helpers/gunicorn.js';
import { makeScene, REPOSITORY } from '../helpers/scene.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

const NAMES =
  'user[password] password_confirmation password1 new_password1 tokenValue bearer id_token_hint pw passwort contraseña mot_de_passe otp cvv pin clientSecret access_token x_api_key db_pass'.split(
    ' ',
  );
const HEADERS = ['X-Api-Key', 'X-Auth-Token', 'X-Client-Secret', 'X-New-Password1', 'X-Bearer'];
const COMPANION = path.join(REPOSITORY, 'companion/loadflame_companion.py');
/** All start with it, and none of our own texts has it. */
const MARK = 'q7Zebra';
const secretOf = (/** @type {string} */ place, /** @type {number} */ at) =>
  `${MARK}${place}${at}&x`;

/** It has a database, calls a server that does not exist, and repeats all it receives, encoded as it came. */
const APP = `
import json, os, sqlite3, sys
from urllib.parse import quote
import httpx

DATABASE = sqlite3.connect(":memory:", check_same_thread=False)
DATABASE.execute("create table account (id integer, password text, token text)")
OWN = json.load(open(os.path.join(os.path.dirname(__file__), "own.json")))

def app(environ, start_response):
    if environ["PATH_INFO"] == "/":
        start_response("200 OK", [])
        return [b"ok"]
    body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0)).decode()
    own, paths = OWN
    DATABASE.execute("select id from account where password = '${MARK}sql1' and token = \\"${MARK}sql2\\"").fetchall()
    DATABASE.execute("select id from account where token = ?", (own["pin"],)).fetchall()
    for path in paths:
        try:
            httpx.get("http://127.0.0.1:9" + path, timeout=1)
        except httpx.HTTPError:
            pass
    headers = {key: value for key, value in environ.items() if key.startswith("HTTP_")}
    query = environ["QUERY_STRING"]
    said = "\\n".join([
        "refused %s?%s" % (environ["PATH_INFO"], query), body, json.dumps(own), json.dumps({"log": json.dumps(own)}),
        "&".join("%s=%s" % (quote(key), quote(value)) for key, value in own.items()),
        "/next?to=" + quote("/a?" + "&".join("%s=%s" % (quote(key), quote(value)) for key, value in own.items()), safe=""),
        json.dumps(headers),
    ])
    print("ERROR: " + said.replace("\\n", " "), file=sys.stderr, flush=True)
    start_response("500 Internal Server Error", [("Content-Type", "text/plain")])
    return [said.encode()]
`;

/** @param {string} folder @returns {string[]} paths */
const listFiles = folder =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => path.join(entry.parentPath, entry.name));

/** What is left of a secret, with its surroundings. @param {string} text */
const findMark = text => new RegExp(`.{0,120}${MARK}.{0,40}`, 's').exec(text)?.[0] ?? null;

/** One request per place. @param {string} place @returns {[name: string, value: string][]} */
const fieldsOf = place => NAMES.map((name, at) => [name, secretOf(place, at)]);
const query = `${new URLSearchParams(fieldsOf('query'))}`;
const nested = new URLSearchParams({
  filter: JSON.stringify(Object.fromEntries(fieldsOf('nested'))),
  next: `/a?${new URLSearchParams(fieldsOf('next'))}`,
});
const json = { user: { list: [Object.fromEntries(fieldsOf('json'))] } };
const form = Object.fromEntries(fieldsOf('form'));
const headers = Object.fromEntries(HEADERS.map((name, at) => [name, `${MARK}header${at}`]));

test('secrets under eighteen names leave no trace of a run, a recording or a log', async t => {
  const folder = makeTempFolder(t);
  writeFileSync(path.join(folder, 'told_app.py'), APP);
  const paths = [`/reset/${MARK}77`, `/u/${MARK}@mail.example`, `/a?access_token=${MARK}http`];
  const own = [Object.fromEntries(fieldsOf('own')), paths];
  writeFileSync(path.join(folder, 'own.json'), JSON.stringify(own));
  const log = path.join(folder, 'api.log');
  const server = await startGunicorn(t, {
    workers: 1,
    args: ['-c', COMPANION, '--chdir', folder, '--error-logfile', log, '--capture-output'],
    env: {
      ...process.env,
      LOADFLAME: '1',
      PYTHONDONTWRITEBYTECODE: '1',
    },
    app: 'told_app:app',
  });
  const scene = makeScene(t, { LOG_FILES: log });
  const script = path.join(scene.home, 'load.yaml');
  const steps = [
    { get: { url: `/query?${query}`, headers } },
    { get: { url: `/nested?${nested}` } },
    { post: { url: '/json', json } },
    { post: { url: '/form', form } },
    { get: { url: `/reset/${MARK}88` } },
    { get: { url: '/u/q8Zebra@mail.example/a' } },
  ];
  writeFileSync(
    script,
    stringify({
      config: { target: server.url, phases: [{ duration: 2, arrivalRate: 2 }] },
      scenarios: [{ flow: steps }],
    }),
  );
  const har = path.join(scene.home, 'session.har');
  const accessLog = path.join(scene.home, 'access.log');
  writeFileSync(har, JSON.stringify(makeHar(server.url)));
  writeFileSync(accessLog, makeAccessLog());

  /** @param {string[]} args */
  const run = async args => {
    const started = scene.start(args);
    const exit = await started.ended;
    return { exit, output: started.output() };
  };
  const inRoot = ['--profiles', scene.root];
  const made = path.join(scene.home, 'made');
  const runs = {
    test: await run([
      'test',
      script,
      ...inRoot,
      '--profile',
      '--markdown',
      `${made}.md`,
      '--junit',
      `${made}.xml`,
    ]),
    report: await run(['report', 'last', ...inRoot]),
    har: await run(['init', '--har', har]),
    log: await run(['init', '--log', accessLog]),
  };
  for (const [name, { output }] of Object.entries(runs))
    await t.test(`the terminal: ${name}`, () => assert.equal(findMark(output), null));
  const files = [
    ...listFiles(scene.root),
    ...listFiles(scene.home).filter(file =>
      /\/(?:made|scenarios\/)/.test(file.slice(scene.home.length)),
    ),
  ];
  for (const file of files)
    await t.test(path.relative(scene.home, file), () =>
      assert.equal(findMark(readFileSync(file, 'utf8')), null),
    );
  await t.test('the right things were kept', () => {
    assert.equal(runs.har.exit, 0, runs.har.output);
    assert.equal(runs.log.exit, 0, runs.log.output);
    const read = (/** @type {RegExp} */ name) =>
      readFileSync(files.find(file => name.test(file)) ?? `${name}`, 'utf8');
    assert.match(read(/errors\.ndjson$/), /refused \/query.*\[redacted\]/);
    assert.match(read(/calls\.ndjson$/), /account where password/i);
    assert.match(read(/calls\.ndjson$/), /127\.0\.0\.1:9\/reset\/:id/);
    assert.match(read(/script\.json$/), /new_password1/);
    assert.match(read(/report\.html$/), /\/reset\/:id/);
    assert.match(read(/scenarios\/session\.yaml$/), /RECORDED_/);
    assert.match(read(/scenarios\/access\.yaml$/), /\/page/);
    assert.ok(readFileSync(log, 'utf8').includes(MARK), 'the server itself has them');
  });
});

/** @param {string} target */
function makeHar(target) {
  const entry = (/** @type {string} */ url, /** @type {any} */ more = {}) => ({
    startedDateTime: '2026-03-01T10:00:01.000Z',
    time: 12,
    request: { method: 'GET', url: target + url, headers: [], ...more },
    response: { status: 200, headers: [], content: { mimeType: 'application/json', text: '{}' } },
  });
  const post = (/** @type {string} */ mimeType, /** @type {string} */ text) => ({
    method: 'POST',
    postData: { mimeType, text },
  });
  const fields = Object.entries(headers).map(([name, value]) => ({ name, value }));
  const entries = [
    entry(`/query?${query}`, { headers: fields }),
    entry(`/nested?${nested}`),
    entry('/json', post('application/json', JSON.stringify(json))),
    entry('/form', post('application/x-www-form-urlencoded', `${new URLSearchParams(form)}`)),
    entry(`/reset/${MARK}88`),
    entry(`/u/${MARK}@mail.example/a`),
  ];
  return { log: { version: '1.2', entries } };
}

function makeAccessLog() {
  const paths = [
    `/query?${query}`,
    `/nested?${nested}`,
    `/reset/${MARK}88`,
    `/u/${MARK}@mail.example/a`,
    '/page?page=2',
  ];
  const lines = Array.from({ length: 100 }, (_, at) => {
    const sec = String(at % 60).padStart(2, '0');
    return `203.0.113.${at % 9} - - [01/Mar/2026:10:0${Math.floor(at / 60)}:${sec} +0000] "GET ${paths[at % paths.length]} HTTP/1.1" 200 5 "-" "x"\n`;
  });
  return lines.join('');
}
