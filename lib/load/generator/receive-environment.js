/**
 * Imported before everything else in a generator, ours and Artillery's: its secret variables arrive over Node's IPC
 * channel, because other processes can read the initial environment of a process.
 */
import { once } from 'node:events';
import { isMainThread } from 'node:worker_threads';

// Threads inherit from the main thread.
if (isMainThread && process.send) {
  // A program that a hook forks gets no such message, so it must not import this.
  process.execArgv = [];
  const [{ env }] = await once(process, 'message');
  Object.assign(process.env, env);
}
