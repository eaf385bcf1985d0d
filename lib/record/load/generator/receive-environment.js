/**
 * Imported before everything else in a generator, ours and Artillery's: its secret variables come over
 * Node's own channel, for the environment that a process was started with can be read from outside.
 */
import { once } from 'node:events';
import { isMainThread } from 'node:worker_threads';

// Threads take theirs from the main one.
if (isMainThread && process.send) {
  // A program that a hook forks has nobody who would tell it anything.
  process.execArgv = [];
  const [{ env }] = await once(process, 'message');
  Object.assign(process.env, env);
}
