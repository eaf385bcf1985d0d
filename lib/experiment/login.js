/** The login of a run: tokens before any load is sent, and what the token source does is recorded. */

import { readAuthConfig } from '../load/auth/auth-config.js';
import { createNdjsonWriter } from '../run/ndjson.js';

/** @import { TokenEvent, TokenSource } from '../load/auth/token-source.js' */
/** @import { Config } from '../base/config/read-config.js' */
/** @import { NdjsonWriter } from '../run/ndjson.js' */
/** @import { Redactor } from '../base/files/redaction.js' */

/**
 * What happens before there is a folder is kept and recorded once there is one.
 * @param {Config} config
 * @param {Redactor} redactor
 * @param {object} run
 * @param {string} run.target of the tokens
 * @param {(text: string) => void} run.onProgress
 * @param {(line: string) => void} run.onNote
 * @returns {Promise<{tokens: TokenSource, stop: () => Promise<void>,
 *   recordTo: (file: string) => void} | null>} null when no login is configured
 * @throws {LoadflameError} OIDC_…, SETTING_MISSING
 */
export async function startLogin(config, redactor, { target, onProgress, onNote }) {
  const auth = readAuthConfig(config);
  if (!auth) return null;
  onProgress(`logging in at ${auth.issuer} …`);
  // Most of the start-up of a run is code: this is loaded by those that log in.
  const [{ findTransport }, { TokenSource }] = await Promise.all([
    import('../load/auth/discover-provider.js'),
    import('../load/auth/token-source.js'),
  ]);
  /** @type {Record<string, any>[]} */
  const early = [];
  /** @type {NdjsonWriter | null} */
  let writer = null;
  const onEvent = (/** @type {TokenEvent} */ { kind, ...fields }) => {
    // What a provider says may repeat what it was sent.
    const clean = redactor.redactValue(fields);
    if (writer) writer.append(kind, clean);
    else early.push({ t: Date.now(), kind, ...clean });
  };
  if ((await findTransport(target)) === 'public') {
    const message = `${new URL(target).origin} is plain HTTP on a public network: tokens cross it unencrypted`;
    onEvent({ kind: 'warning', message });
    onNote(`warning: ${message}`);
  }
  const source = new TokenSource(auth, { onEvent, onSecret: secret => redactor.add(secret) });
  for (const secret of source.secrets()) redactor.add(secret);
  await source.start();
  return {
    tokens: source,
    stop: () => source.stop(),
    /** @param {string} file */
    recordTo: file => {
      writer = createNdjsonWriter(file);
      for (const { kind, ...fields } of early) writer.append(kind, fields);
    },
  };
}
