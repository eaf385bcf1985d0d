import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { startChild } from '../../../lib/base/process/child.js';
import { findServer, listServers } from '../../../lib/record/target/find-server.js';
import { areOwnPeersLocal, listListeners } from '../../../lib/record/target/listening-socket.js';
import { listDescendants, listWorkers } from '../../../lib/record/target/process-family.js';
import {
  FIXTURES,
  findFreePort,
  PYTHON,
  startGunicorn,
  waitUntil,
  writePidFile,
} from '../../helpers/gunicorn.js';
import { serve } from '../../helpers/listen.js';
import { needs } from '../../helpers/needs.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

test('a gunicorn is found by pid, pid file, our own child and the port of the target', async t => {
  const { masterPid, pidFile, port, url } = await startGunicorn(t);
  const workers = listWorkers(masterPid);
  assert.equal(workers.length, 2);
  const ways = {
    'as given': { pid: masterPid },
    'pid file': { pidFile },
    'started by loadflame': { childPid: masterPid },
    [`owner of port ${port}`]: { target: url },
  };
  for (const [how, options] of Object.entries(ways)) {
    const found = await findServer(options);
    assert.equal(found.masterPid, masterPid, how);
    assert.deepEqual(found.workers, workers);
    assert.ok(found.how.includes(how), found.how);
    assert.equal(found.workerClass, 'sync');
    assert.equal(found.appName, 'burn_app:app');
    assert.deepEqual(found.binds, [`127.0.0.1:${port}`]);
  }
});

test('the pid of a worker leads to its parent, and that is said', async t => {
  const { masterPid } = await startGunicorn(t, { args: ['--no-control-socket', '--threads', '3'] });
  const [worker = 0] = listWorkers(masterPid);
  const found = await findServer({ pid: worker });
  assert.equal(found.masterPid, masterPid);
  assert.match(found.how, new RegExp(`parent of worker ${worker}`));
  assert.equal(found.workerClass, 'gthread');
});

test('with --reuse-port the common parent of the owners is the master', async t => {
  const { masterPid, url } = await startGunicorn(t, { args: ['--reuse-port', '-k', 'gthread'] });
  const found = await findServer({ target: url });
  assert.equal(found.masterPid, masterPid);
  assert.equal(found.workers.length, 2);
});

test('several servers are a list to choose from, never the first at random', async t => {
  const [one, two] = await Promise.all([
    startGunicorn(t, { workers: 1 }),
    startGunicorn(t, { workers: 2 }),
  ]);
  await assert.rejects(findServer(), error => {
    const { code, message, hint, data } = /** @type {any} */ (error);
    assert.equal(code, 'SERVER_AMBIGUOUS');
    const pids = data.candidates.map((/** @type {{masterPid: number}} */ c) => c.masterPid);
    assert.ok(pids.includes(one.masterPid) && pids.includes(two.masterPid));
    assert.match(
      message,
      new RegExp(
        `${two.masterPid}: 127.0.0.1:${two.port}, burn_app:app in .*, gunicorn with 2 workers`,
      ),
    );
    assert.match(hint, /SERVER_PID=\d+/);
    return true;
  });
});

test('does not mistake a process with gunicorn in its arguments for gunicorn', async t => {
  const editor = startChild(PYTHON, ['-c', 'import time; time.sleep(30)', 'gunicorn', 'app:app']);
  t.after(() => editor.stop());
  const { masterPid } = await startGunicorn(t, { workers: 1 });
  await waitUntil(() => listServers().includes(masterPid), 'the master in the list');
  assert.ok(!listServers().includes(editor.pid));
  for (const worker of listWorkers(masterPid)) assert.ok(!listServers().includes(worker));
});

test('leaves out children of the master that are not workers', async t => {
  const { masterPid } = await startGunicorn(t, {
    workers: 1,
    args: ['-c', path.join(FIXTURES, 'conf_with_helper.py')],
  });
  assert.equal(listDescendants(masterPid).length, 2);
  assert.equal(listWorkers(masterPid).length, 1);
});

test('the dirty arbiter is not a worker', async t => {
  const { masterPid } = await startGunicorn(t, {
    workers: 1,
    args: ['--no-control-socket', '--dirty-app', 'dirty_app:Task', '--dirty-workers', '1'],
  });
  await waitUntil(() => listWorkers(masterPid).length === 1, 'one worker, without the arbiter');
});

test('each kind of wrong process or file is its own error', async t => {
  const folder = makeTempFolder(t);
  const gone = startChild('true', []);
  await gone.ended;
  await assert.rejects(findServer({ pid: gone.pid }), { code: 'SERVER_PID_WRONG' });
  await assert.rejects(findServer({ pid: process.pid }), error => {
    assert.equal(/** @type {any} */ (error).code, 'SERVER_PID_WRONG');
    assert.match(String(error), /not Python/);
    return true;
  });
  for (const file of [
    path.join(folder, 'none'),
    writePidFile(folder, 'text'),
    writePidFile(folder, `${gone.pid}\n`),
  ]) {
    await assert.rejects(findServer({ pidFile: file }), { code: 'SERVER_PID_FILE' });
  }
});

test('a target on another machine has no server here', async () => {
  await assert.rejects(findServer({ target: 'https://192.0.2.1/api' }), error => {
    const { code, hint } = /** @type {any} */ (error);
    assert.equal(code, 'SERVER_NOT_FOUND');
    assert.match(hint, /its own machine/);
    return true;
  });
});

test('behind a port of another program is who it forwards to, and never the only server by command line', async t => {
  const { masterPid, url } = await startGunicorn(t, { workers: 1 });
  const target = await serve(t, (_, response) => response.end('not Python'));
  await assert.rejects(findServer({ target }), error => {
    const { code, message } = /** @type {any} */ (error);
    assert.equal(code, 'SERVER_NOT_FOUND');
    assert.match(
      message,
      new RegExp(`belongs to process ${process.pid} .*no connection of it leads`),
    );
    return true;
  });
  const nobody = `http://127.0.0.1:${await findFreePort()}`;
  await assert.rejects(findServer({ target: nobody }), /nothing listens on port/);
  assert.equal((await findServer({ pid: masterPid })).masterPid, masterPid);
  const frontOf = async (/** @type {string} */ at) =>
    (await findServer({ pid: masterPid, target: at })).front;
  assert.equal(await frontOf(url), '', 'the server has the port itself');
  assert.equal(await frontOf(target), 'node');
  assert.equal(await frontOf(nobody), null);
  const name = `${process.title}`;
  t.after(() => {
    process.title = name;
  });
  process.title = '\u001b[31m$(reboot)';
  assert.equal(await frontOf(target), null, 'a name of other characters is none');
});

test('the server behind nginx is found by the connections of nginx', {
  skip: needs('nginx'),
}, async t => {
  const [wanted] = await Promise.all([
    startGunicorn(t, { workers: 1 }),
    startGunicorn(t, { workers: 1 }),
  ]);
  const folder = makeTempFolder(t);
  const port = await findFreePort();
  const conf = path.join(folder, 'nginx.conf');
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  writeFileSync(
    conf,
    `daemon off; pid ${folder}/pid; error_log ${folder}/error.log; events {}
http { access_log off; ${paths.map(name => `${name}_temp_path ${folder}/${name};`).join(' ')}
server { listen 127.0.0.1:${port}; location / { proxy_pass ${wanted.url}; } } }`,
  );
  const nginx = startChild('nginx', ['-c', conf, '-e', `${folder}/error.log`]);
  t.after(() => nginx.stop());
  const target = `http://127.0.0.1:${port}`;
  await waitUntil(() => listListeners().some(one => one.port === port), 'nginx listens');
  const found = await findServer({ target });
  assert.equal(found.masterPid, wanted.masterPid);
  assert.equal(found.how, `behind nginx on port ${port}`);
  assert.equal(found.front, 'nginx');
  const given = await findServer({ pid: wanted.masterPid, target });
  assert.equal(given.front, 'nginx', 'also where the server was named');
});

test('what a process is connected to is on this machine, or elsewhere', async t => {
  const server = net.createServer();
  t.after(() => server.close());
  await new Promise(resolve => server.listen(0, '0.0.0.0', () => resolve(null)));
  const { port } = /** @type {net.AddressInfo} */ (server.address());
  const connect = (/** @type {string[]} */ ...hosts) => {
    const code = `import socket, sys, time
kept = [socket.create_connection((host, ${port})) for host in sys.argv[1:]]
time.sleep(60)`;
    const child = startChild(PYTHON, ['-c', code, ...hosts]);
    t.after(() => child.stop());
    return child.pid ?? -1;
  };
  const local = connect('127.0.0.1');
  await waitUntil(() => areOwnPeersLocal([local]) === true, 'a connection to this machine');
  assert.equal(areOwnPeersLocal([process.pid]), null, 'who connected does not count');
  const addresses = Object.values(os.networkInterfaces()).flatMap(all => all ?? []);
  const other = addresses.find(({ internal, family }) => !internal && family === 'IPv4');
  if (!other) return;
  const both = connect('127.0.0.1', other.address);
  await waitUntil(() => areOwnPeersLocal([both]) === false, 'a connection to another address');
});
