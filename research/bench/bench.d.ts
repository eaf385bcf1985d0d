/** What the parts of the benchmark say to each other. */
import type { Cores } from './cores.js';
import type { Command } from './start-generator.js';

/** What a generator is asked to do. */
export interface Job {
  shape: Shape;
  /** of the server, without a path */
  url: string;
  /** a folder of its own, empty */
  dir: string;
  durationSec: number;
  /** connections, or users, at once: the limit where `perSec` is given */
  users: number;
  /** users (`users-of-…`, `sockets-idle`) or requests (`rate`) that begin per second */
  perSec: number;
  /** `rate`: keep up to `users` connections, instead of what the tool does by itself */
  keepConnections?: boolean;
}

/**
 * - `closed`: each user sends a GET as soon as the one before was answered, on one connection
 * - `users-of-10`, `users-of-1`: users come, open a connection, send so many GETs and go
 * - `rate`: requests begin at a rate, whatever the server does; connections may be kept
 * - `sockets-idle`: users come, connect to socket.io and stay
 * - `sockets-emit`: each user emits as soon as the emit before was acknowledged
 */
export type Shape =
  | 'closed'
  | 'users-of-10'
  | 'users-of-1'
  | 'rate'
  | 'sockets-idle'
  | 'sockets-emit';

/** Milliseconds; null where a tool does not say. */
export interface Latency {
  p50: number | null;
  p95: number | null;
  p99: number | null;
}

export interface Tool {
  name: string;
  /** its version, or how to get it */
  find(): { version: string } | { missing: string };
  /** null for what it can't do; may write files into `job.dir` */
  command(job: Job): Command | null;
  /** the latency that it reported */
  readLatency?(job: Job, output: string): Latency;
}

/** Figures of one round of one tool. */
export type Figures = Record<string, number>;

export interface Column {
  key: string;
  title: string;
  /** digits after the point */
  digits?: number;
}

export interface Work {
  name: string;
  title: string;
  /** what is done, counted and left out; Markdown */
  explanation: string;
  tools: string[];
  columns: Column[];
  /** a column of which the ratios to Artillery and to the floor in the same round are told */
  ratioOf?: string;
  measure(tool: Tool, setting: Setting): Promise<Figures | null>;
}

export interface Setting {
  cores: Cores;
  /** a folder of its own, empty */
  dir: string;
  quick: boolean;
  /** of a load of a rate, instead of the work's own; null, absent: that one */
  seconds?: number | null;
}

/** All rounds of one tool at one work. */
export interface ToolResult {
  tool: string;
  /** null where a round failed */
  rounds: (Figures | null)[];
}
