/** The login of a run: tokens before any load is sent, and what the token source does is recorded. */
import { readAuthConfig } from './auth/auth-config.js';
import { createTokenSource } from './auth/token-source.js';
import { createNdjsonWriter } from './run/ndjson.js';

/** @import { TokenSource } from './auth/token-source.js' */
/** @import { Config } from './config/read-config.js' */
/** @import { NdjsonWriter } from './run/ndjson.js' */
/** @import { Redactor } from './run/redaction.js' */

/**
 * What happens before there is a folder is kept and recorded once there is one.
 * @param {Config} config
 * @param {Redactor} redactor
 * @param {(text: string) => void} onProgress
 * @returns {Promise<{tokens: TokenSource, stop: () => Promise<void>,
 *   recordTo: (file: string) => void} | null>} null when no login is configured
 * @throws {LoadflameError} OIDC_…, SETTING_MISSING
 */
export async function startLogin(config, redactor, onProgress) {
  const auth = readAuthConfig(config);
  if (!auth) return null;
  onProgress(`logging in at ${auth.issuer} …`);
  /** @type {Record<string, any>[]} */
  const early = [];
  /** @type {NdjsonWriter | null} */
  let writer = null;
  const source = createTokenSource(auth, {
    onEvent: ({ kind, ...fields }) => {
      if (writer) writer.append(kind, fields);
      else early.push({ t: Date.now(), kind, ...fields });
    },
  });
  const addSecrets = () => source.secrets().forEach(redactor.add);
  source.onSecret(addSecrets);
  await source.start();
  addSecrets();
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
