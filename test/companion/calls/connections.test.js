import assert from 'node:assert/strict';
import path from 'node:path';
import { python } from '../../helpers/companion.js';
import { FIXTURES } from '../../helpers/gunicorn.js';
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
