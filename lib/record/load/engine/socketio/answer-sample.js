/** The answer that an error is about, beside the error. */
import { nameError } from '../../metrics/error-samples.js';

/**
 * @param {unknown} channel
 * @param {unknown} error
 * @param {any[] | null} answer null when none came
 * @param {import('../engine.d.ts').Services} services
 */
export function addAnswerSample(channel, error, answer, { samples }) {
  const endpoint = `socket.io ${channel}`;
  const code = nameError(error);
  if (!samples.wants(endpoint, code)) return;
  samples.add({ endpoint, code, body: answer ? JSON.stringify(answer) : '' });
}
