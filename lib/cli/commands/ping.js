/** @import { Call } from '../io.js' */
import { sumUpPing } from '../../analysis/load/sum-up-ping.js';
import { readConfig } from '../../base/config/read-config.js';
import { LoadflameError } from '../../base/errors.js';
import { createRedactor } from '../../base/files/redaction.js';
import { runOnce } from '../../experiment/run-once.js';
import { isAddress } from '../../load/script/read-script.js';
import { printTerminal } from '../../report/print/terminal.js';
import { describePing } from '../../text/whole-request.js';
import { exitCode } from '../exit-code.js';
import { printJson, printWide, runWithProgress } from '../io.js';
import { addHeaders, targetOf } from './test.js';

/** Without `-n`: enough for a median, and where they are quick, for the share of rare collections of garbage. */
const [LEAST, MOST] = [5, 300];

/** @param {Call} call */
export async function run({ args: [url], options, flags, io }) {
  if (!isAddress(url)) throw new LoadflameError('PING_NO_ADDRESS', { url });
  const config = readConfig({ flags: { ...flags, ...targetOf(url) }, env: io.env });
  if (options.login) config.require('OIDC_ISSUER');
  const { insecure } = options;
  const load = { script: url, options: { insecure, overrides: addHeaders({}, options.header) } };
  return runWithProgress(io, async ({ progress, signal }) => {
    const { requests, loadEnd, isTooMany } = await runOnce({
      config,
      load,
      signal,
      redactor: createRedactor(config.secrets),
      times: options.n ?? LEAST,
      mostTimes: options.n ?? MOST,
      logsIn: Boolean(options.login),
      onProgress: progress.update,
      say: { onNote: progress.say },
    });
    progress.stop();
    const report = sumUpPing(requests);
    if (options.json) printJson(io, report);
    else printWide(io, terminal => printTerminal(describePing(report), terminal));
    const invalid = loadEnd.reason === 'crashed' || requests.length === 0;
    return exitCode({ interrupted: signal.aborted, invalid, failed: isTooMany });
  });
}
