import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { findPython } from '../../../research/shares/start-server.js';
import { python } from '../../helpers/companion.js';
import { FIXTURES } from '../../helpers/gunicorn.js';
import { COMPANION } from '../../helpers/joined-companion.js';
import { needsModules } from '../../helpers/needs.js';
import { test } from '../../helpers/quiet.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

test('new connections of a request count by line, without the path of a socket file', t => {
  const { calls, named } = python([
    path.join(FIXTURES, 'companion_connections.py'),
    makeTempFolder(t),
  ]);
  const told = calls.map((/** @type {any[]} */ [id, n, us]) => {
    const { kind, text, function: name, file } = named[id];
    assert.deepEqual([us, file], [0, 'companion_connections.py']);
    assert.match(name, /^(?:app|(?:app\.<locals>\.)?connect)$/);
    return `${n} ${kind}: ${text}`;
  });
  assert.deepEqual(told.sort(), [
    '1 connect: connect 127.0.0.1:PORT',
    '1 connect: connect 127.0.0.1:PORT',
    '1 connect: connect a socket file',
    '1 connect: connect sqlite',
    '2 connect: connect 127.0.0.1:PORT',
  ]);
});

test('a connection that uvloop opens counts once, by the name of its host', {
  skip: needsModules('uvloop'),
}, () => {
  const program = `
import asyncio
import json
import uvloop
import loadflame_companion as companion
headers = []
async def serve(reader, writer):
    writer.close()
async def app(scope, receive, send):
    await connect(scope["port"])
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b""})
async def connect(port):
    _, writer = await asyncio.open_connection("LOCALHOST", port)
    loop = asyncio.get_running_loop()
    made = await loop.create_connection(asyncio.Protocol, sock=writer.get_extra_info("socket").dup())
    made[0].close()
    writer.close()
async def send(message):
    headers.extend(message.get("headers", ()))
async def main():
    server = await asyncio.start_server(serve, "localhost", 0)
    port = server.sockets[0].getsockname()[1]
    scope = {"type": "http", "method": "GET", "path": "/", "headers": [], "client": ("127.0.0.1", 1), "port": port}
    await companion.AsgiCompanion(app)(scope, None, send)
    told = json.loads(dict(headers)[b"loadflame-calls"])
    [call] = told["calls"]
    one = told["named"][call[0]]
    print(json.dumps([call[1], one["kind"], one["text"].replace(str(port), "PORT")]))
uvloop.run(main())`;
  const env = { PATH: process.env.PATH, PYTHONPATH: COMPANION, LOADFLAME: '1' };
  const out = execFileSync(findPython(['uvloop']), ['-B', '-c', program], { env });
  assert.deepEqual(JSON.parse(out.toString()), [1, 'connect', 'connect localhost:PORT']);
});
