/**
 * Finds the processes that listen on a TCP port of this machine, from `/proc/net/tcp{,6}` and the open files of
 * processes.
 */
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { entryOf } from '../../base/files/maps.js';
import {
  listNumbers,
  listPids,
  listProcesses,
  readLink,
  readText,
} from '../../base/process/process-table.js';

/**
 * @typedef {object} Listener
 * @property {string} address dotted IPv4, or IPv6 as a URL writes it, without brackets
 * @property {number} port
 * @property {string} inode
 * @property {number} uid of the process that opened it
 */

const LISTENING = '0A';

/** All TCP sockets that listen in our network namespace. @returns {Listener[]} */
export function listListeners() {
  return readTcpTables().flatMap(fields => {
    if (fields[3] !== LISTENING) return [];
    const [address = '', port = ''] = (fields[1] ?? '').split(':');
    return {
      address: decodeAddress(address),
      port: Number.parseInt(port, 16),
      inode: fields[9] ?? '',
      uid: Number(fields[7]),
    };
  });
}

/**
 * Sockets that accept connections to one of these addresses; an exact address takes precedence over a wildcard.
 * @param {number} port
 * @param {string[]} addresses
 */
export function findListeners(port, addresses) {
  const onPort = listListeners().filter(listener => listener.port === port);
  const exact = onPort.filter(({ address }) => addresses.includes(address));
  if (exact.length > 0) return exact;
  return onPort.filter(({ address }) => address === '0.0.0.0' || address === '::');
}

/**
 * Processes that hold one of these sockets, except those whose open files are not readable.
 * @param {Set<string>} inodes
 * @returns {number[]}
 */
export function findSocketOwners(inodes) {
  return listPids().filter(pid => listSocketInodes(pid).some(inode => inodes.has(inode)));
}

/**
 * TCP connections of this machine, including recently closed ones (inode 0).
 * @returns {Map<string, {key: string, ports: number[], inodes: string[]}>} one per connection, for both ends
 */
export function listConnections() {
  /** @type {ReturnType<typeof listConnections>} */
  const all = new Map();
  for (const fields of readTcpTables()) {
    if (fields[3] === LISTENING || fields.length < 10) continue;
    const ends = [fields[1], fields[2]].map(end => Number.parseInt(end?.split(':')[1] ?? '', 16));
    const ports = ends.sort((a, b) => a - b);
    const key = ports.join();
    const inodes = [...(all.get(key)?.inodes ?? []), fields[9] ?? ''];
    all.set(key, { key, ports, inodes });
  }
  return all;
}

/**
 * Whether all peers to which these processes have connected are on this machine. Incoming connections do not count.
 * @param {number[]} pids
 * @returns {boolean | null} null if they have no outgoing connection
 */
export function areOwnPeersLocal(pids) {
  const own = new Set(pids.flatMap(listSocketInodes));
  const served = new Set(listListeners().map(({ port }) => port));
  const peers = readTcpTables().flatMap(fields => {
    const [local, remote] = [fields[1], fields[2]].map(end => (end ?? '').split(':'));
    const isServed = served.has(Number.parseInt(local?.[1] ?? '', 16));
    return own.has(fields[9] ?? '') && !isServed ? decodeAddress(remote?.[0] ?? '') : [];
  });
  return peers.length > 0 ? peers.every(peer => /^127\.|^::1$/.test(peer)) : null;
}

/**
 * Finds the processes on this machine to which others have connected: those that listen at the other end, over TCP or,
 * where `ss` is installed, a Unix socket.
 * @returns {(pids: number[]) => number[]} call it again and again: the processes of a listener are searched once
 */
export function createServiceFinder() {
  /** @type {Map<string, number[]>} */
  const found = new Map();
  /** @type {Map<string, Set<string>>} */
  const peers = new Map();
  return pids => {
    const own = new Set(pids.flatMap(listSocketInodes));
    const rows = readTcpTables();
    const local = new Set(rows.map(fields => fields[1]));
    const listeners = listListeners();
    const served = listeners.flatMap(({ inode, port }) => (own.has(inode) ? port : []));
    const called = rows.flatMap(([, from, to, state, , , , , , inode = '']) =>
      own.has(inode) && state !== LISTENING && local.has(to) && !served.includes(portOf(from))
        ? portOf(to)
        : [],
    );
    const unix = readUnixTable();
    // A connection that was accepted has the name of the listening socket.
    const clients = unix.flatMap(({ inode, name }) => (own.has(inode) && !name ? inode : []));
    const ends = entryOf(peers, clients.join(), () => findUnixPeers(clients));
    const names = new Set(unix.flatMap(({ inode, name }) => (name && ends.has(inode) ? name : [])));
    const files = unix
      .filter(({ name, isListening }) => isListening && names.has(name))
      .map(({ inode, name }) => {
        return { inode, uid: statSync(name, { throwIfNoEntry: false })?.uid ?? -1 };
      });
    return [...listeners.filter(({ port }) => called.includes(port)), ...files].flatMap(listener =>
      entryOf(found, listener.inode, () => findOwners(listener)),
    );
  };
}

/** `/proc` names no peers. @param {string[]} inodes of sockets @returns {Set<string>} of the other ends */
function findUnixPeers(inodes) {
  const own = new Set(inodes);
  const list = inodes.length > 0 && spawnSync('ss', ['-xnH'], { encoding: 'utf8' }).stdout;
  const rows = (list || '').split('\n').map(row => row.trim().split(/\s+/));
  return new Set(rows.flatMap(row => (own.has(row.at(-3) ?? '') ? (row.at(-1) ?? []) : [])));
}

/** @param {string | undefined} end "0100007F:1538" */
const portOf = end => Number.parseInt(end?.split(':')[1] ?? '', 16);

/** The open files of other users are not readable: then it is their only process without a parent. @param {Pick<Listener, 'inode' | 'uid'>} listener */
function findOwners({ inode, uid }) {
  const owners = findSocketOwners(new Set([inode]));
  if (owners.length > 0 || uid === process.geteuid?.()) return owners;
  const ofUser = listProcesses().filter(
    ({ pid }) => statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid === uid,
  );
  const parents = new Set(ofUser.map(({ pid }) => pid));
  const roots = ofUser.flatMap(({ pid, ppid }) => (parents.has(ppid) ? [] : pid));
  return roots.length === 1 ? roots : [];
}

/** Inodes of all listening sockets, including those without a port. @returns {Set<string>} */
export function listListeningInodes() {
  const unix = readUnixTable().filter(({ isListening }) => isListening);
  return new Set([...listListeners(), ...unix].map(({ inode }) => inode));
}

/** `name`: a path, or `@` and an abstract name; `''`: none */
const readUnixTable = () =>
  readTable('/proc/net/unix').map(fields => ({
    inode: fields[6] ?? '',
    name: fields.slice(7).join(' '),
    isListening: fields[3] === '00010000',
  }));

/** Inodes that a process waits for with epoll, as event loops do. @param {number} pid */
export function listPolledInodes(pid) {
  return listNumbers(`/proc/${pid}/fdinfo`)
    .map(fd => readText(`/proc/${pid}/fdinfo/${fd}`) ?? '')
    .flatMap(text => [...text.matchAll(/^tfd:.* ino:([0-9a-f]+)/gm)])
    .map(([, inode = '']) => String(Number.parseInt(inode, 16)));
}

/** Paths of the Unix sockets that a process holds; `''` for unnamed ones. @param {number} pid */
export function listUnixSockets(pid) {
  const inodes = new Set(listSocketInodes(pid));
  return readUnixTable().flatMap(({ inode, name }) => (inodes.has(inode) ? name : []));
}

/** For IPv4 and IPv6. */
const readTcpTables = () => ['tcp', 'tcp6'].flatMap(name => readTable(`/proc/net/${name}`));

/** @param {string} file @returns {string[][]} fields of its rows, without the heading */
function readTable(file) {
  const rows = (readText(file) ?? '').split('\n').slice(1);
  return rows.map(row => row.trim().split(/\s+/));
}

/** Inodes of the sockets that a process holds; empty if not readable. @param {number} pid */
export function listSocketInodes(pid) {
  return listOpenFiles(pid).flatMap(file => /^socket:\[(\d+)\]$/.exec(file)?.[1] ?? []);
}

/** Open files of a process, as the kernel names them; empty if not readable. @param {number} pid */
export function listOpenFiles(pid) {
  return listNumbers(`/proc/${pid}/fd`).flatMap(fd => readLink(`/proc/${pid}/fd/${fd}`) ?? []);
}

/**
 * The kernel prints addresses as 32-bit words in host byte order (little-endian on what Node runs on).
 * @param {string} hex 8 or 32 digits
 */
function decodeAddress(hex) {
  const bytes = (hex.match(/.{8}/g) ?? []).flatMap(word => [...Buffer.from(word, 'hex').reverse()]);
  if (bytes.length === 4) return bytes.join('.');
  const mapped = bytes.slice(0, 10).every(byte => byte === 0) && bytes[10] === 255;
  if (mapped) return bytes.slice(12).join('.');
  const groups = Buffer.from(bytes).toString('hex').match(/.{4}/g) ?? [];
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}
