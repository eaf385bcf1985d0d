/** How a study's own requests (lists, probes, `reset`) reach its target: as its runs do. */
import { Agent } from 'undici';
import { startLogin } from '../../login.js';
import { saysUnchecked } from '../../record/load/prepare-script.js';

/** @import { Config } from '../../config/read-config.js' */
/** @import { Access } from '../../record/probes/read-probe.js' */
/** @import { Study } from '../../facts/study-file.d.ts' */
/** @import { Attempt } from './run-study.js' */

/**
 * One login for all of a block, when the first request needs it; its token is renewed before it expires. A
 * login that fails is not tried again: providers lock accounts. Another origin than the target's gets
 * nothing of it.
 * @param {Pick<Attempt, 'redactor' | 'insecure' | 'onProgress' | 'onNote'>} attempt
 * @param {{target: string, config: Config, scenario: Study['scenario']}} options
 * @returns {{access: Access, stop: () => Promise<void>}}
 */
export function createTargetAccess(attempt, { target, config, scenario }) {
  const { redactor, insecure, onProgress, onNote } = attempt;
  const { origin } = new URL(target);
  const isUnchecked = insecure || saysUnchecked(JSON.stringify(scenario));
  const dispatcher = isUnchecked
    ? new Agent({ connect: { rejectUnauthorized: false } })
    : undefined;
  /** @type {ReturnType<typeof startLogin> | null} */
  let login = null;
  return {
    async access(place) {
      if (place.origin !== origin) return {};
      login ??= startLogin(config, redactor, { target, onProgress, onNote });
      const token = (await login)?.tokens.tokens()[0];
      return { dispatcher, ...(token && { headers: { authorization: `Bearer ${token}` } }) };
    },
    async stop() {
      await (await login?.catch(() => null))?.stop();
      await dispatcher?.close();
    },
  };
}
