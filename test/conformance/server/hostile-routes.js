/** Answers that break HTTP, or stretch it, byte by byte. */
import { setTimeout as wait } from 'node:timers/promises';

/** @typedef {(socket: import('node:net').Socket) => unknown} Hostile */

const OK = 'HTTP/1.1 200 OK\r\n';

/** @type {Record<string, Hostile>} */
const ANSWERS = {
  '/body-too-short': socket => socket.end(`${OK}content-length: 100\r\n\r\nonly this`),
  '/body-too-long': socket => socket.end(`${OK}content-length: 4\r\n\r\nfour and more`),
  '/length-twice': socket => socket.end(`${OK}content-length: 4\r\ncontent-length: 5\r\n\r\nfour.`),
  '/length-negative': socket => socket.end(`${OK}content-length: -1\r\n\r\n`),
  '/length-nonsense': socket => socket.end(`${OK}content-length: many\r\n\r\nbody`),
  '/length-and-chunked': socket =>
    socket.end(
      `${OK}content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n4\r\nfour\r\n0\r\n\r\n`,
    ),
  '/reset-before-headers': socket => socket.resetAndDestroy(),
  '/reset-in-headers': async socket => {
    await write(socket, `${OK}content-le`);
    socket.resetAndDestroy();
  },
  '/reset-in-body': async socket => {
    await write(socket, `${OK}content-length: 100000\r\n\r\nhalf`);
    await wait(50);
    socket.resetAndDestroy();
  },
  '/reset-in-chunk': async socket => {
    await write(socket, `${OK}transfer-encoding: chunked\r\n\r\n5\r\nfirst\r\n`);
    await wait(50);
    socket.resetAndDestroy();
  },
  '/end-before-headers': socket => socket.end(),
  '/end-in-headers': socket => socket.end(`${OK}content-type: te`),
  '/http10': socket => socket.end('HTTP/1.0 200 OK\r\ncontent-length: 3\r\n\r\nold'),
  '/http10-until-close': socket => socket.end('HTTP/1.0 200 OK\r\n\r\nold, until the end'),
  '/http11-until-close': socket => socket.end(`${OK}\r\nnew, until the end`),
  '/http09': socket => socket.end('no status, just text\n'),
  '/http2-preface': socket => socket.end('HTTP/2.0 200 OK\r\ncontent-length: 2\r\n\r\nok'),
  '/status-nonsense': socket => socket.end('HTTP/1.1 twohundred OK\r\ncontent-length: 0\r\n\r\n'),
  '/status-unknown': socket => socket.end('HTTP/1.1 799 Strange\r\ncontent-length: 0\r\n\r\n'),
  '/status-without-reason': socket => socket.end('HTTP/1.1 200\r\ncontent-length: 2\r\n\r\nok'),
  '/status-unicode': socket =>
    socket.end('HTTP/1.1 200 Größe\r\ncontent-length: 2\r\n\r\nok', 'utf8'),
  '/header-without-colon': socket =>
    socket.end(`${OK}this is no header\r\ncontent-length: 2\r\n\r\nok`),
  '/header-folded': socket =>
    socket.end(`${OK}x-folded: one\r\n two\r\ncontent-length: 2\r\n\r\nok`),
  '/header-huge': socket =>
    socket.end(`${OK}x-huge: ${'h'.repeat(100_000)}\r\ncontent-length: 2\r\n\r\nok`),
  '/header-large': socket =>
    socket.end(`${OK}x-large: ${'h'.repeat(12_000)}\r\ncontent-length: 2\r\n\r\nok`),
  '/header-latin1': socket =>
    socket.end(Buffer.from(`${OK}x-name: Zürich\r\ncontent-length: 2\r\n\r\nok`, 'latin1')),
  '/bare-newlines': socket => socket.end('HTTP/1.1 200 OK\ncontent-length: 2\n\nok'),
  '/trailers': socket =>
    socket.end(
      `${OK}transfer-encoding: chunked\r\ntrailer: x-sum\r\n\r\n4\r\nbody\r\n0\r\nx-sum: 99\r\n\r\n`,
    ),
  '/chunk-nonsense': socket =>
    socket.end(`${OK}transfer-encoding: chunked\r\n\r\nzz\r\nwhat\r\n0\r\n\r\n`),
  '/chunk-extension': socket =>
    socket.end(`${OK}transfer-encoding: chunked\r\n\r\n4;a=b\r\nbody\r\n0\r\n\r\n`),
  '/chunks-unfinished': socket =>
    socket.end(`${OK}transfer-encoding: chunked\r\n\r\n4\r\nbody\r\n`),
  '/continue': socket =>
    socket.end(`HTTP/1.1 100 Continue\r\n\r\n${OK}content-length: 2\r\n\r\nok`),
  '/processing': socket =>
    socket.end(
      `HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${OK}content-length: 2\r\n\r\nok`,
    ),
  '/switching': socket =>
    socket.end('HTTP/1.1 101 Switching Protocols\r\nupgrade: ufo\r\nconnection: upgrade\r\n\r\n'),
  '/no-content-with-body': socket =>
    socket.end('HTTP/1.1 204 No Content\r\ncontent-length: 4\r\n\r\nbody'),
  '/slow-headers': async socket => {
    for (const char of `${OK}content-length: 2\r\n\r\nok`) {
      await write(socket, char);
      await wait(10);
    }
    socket.end();
  },
  '/headers-never-end': async socket => {
    await write(socket, OK);
    for (let i = 0; i < 1000 && !socket.destroyed; i += 1) {
      await write(socket, `x-${i}: y\r\n`);
      await wait(50);
    }
    socket.destroy();
  },
  '/close-without-saying': socket => socket.end(`${OK}content-length: 2\r\n\r\nok`),
};

/**
 * @param {string} path
 * @returns {Hostile | undefined}
 */
export function findHostileAnswer(path) {
  return ANSWERS[path];
}

/** @param {import('node:net').Socket} socket @param {string} text @returns {Promise<void>} */
function write(socket, text) {
  return new Promise(resolve => {
    if (socket.destroyed) resolve();
    else socket.write(text, () => resolve());
  });
}
