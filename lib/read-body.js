/** Bodies of answers, of which nobody knows how long they are: no more than is wanted is read. */

/**
 * @param {AsyncIterable<Uint8Array> & {destroy?: () => unknown} | null} body is given up where more comes
 * @param {number} mostBytes
 * @param {number} [mostMs] for a body that comes slowly, and perhaps for ever
 * @returns {Promise<{text: string, isWhole: boolean}>} its beginning
 */
export async function readBeginning(body, mostBytes, mostMs) {
  /** @type {Uint8Array[]} */
  const chunks = [];
  let bytes = 0;
  let isLate = false;
  const giveUp = () => {
    isLate = true;
    body?.destroy?.();
  };
  const timer = mostMs === undefined ? undefined : setTimeout(giveUp, mostMs);
  try {
    for await (const chunk of body ?? []) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > mostBytes) break;
    }
  } catch (error) {
    if (!isLate) throw error;
  } finally {
    clearTimeout(timer);
  }
  const text = Buffer.concat(chunks).toString('utf8', 0, Math.min(bytes, mostBytes));
  return { text, isWhole: !isLate && bytes <= mostBytes };
}
