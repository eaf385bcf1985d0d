/** @import { Call } from '../io.js' */
import { readConfig } from '../../base/config/read-config.js';
import { LoadflameError } from '../../base/errors.js';
import { isPlain, parseYaml, readSource } from '../../base/files/read-yaml.js';
import { createRedactor } from '../../base/files/redaction.js';
import { exitCode } from '../exit-code.js';
import { runWithProgress } from '../io.js';
import { measure } from '../measure.js';
import { prepareGates } from '../prepare-gates.js';

/** @param {Call} call */
export async function run({ args: [script], options, flags, command, io }) {
  const { workers, cpu, memory, wait: waitSec, podFile, ...load } = options;
  const config = readConfig({ flags, env: io.env });
  const image = config.require('KUBE_IMAGE');
  const pod = podFile ? readPodFile(podFile) : null;
  const gates = await prepareGates(config, options);
  return runWithProgress(io, async ({ progress, signal }) => {
    const ending = await measure({
      ...{ command, config, root: options.profiles, progress, signal, io, gates },
      full: options.full,
      redactor: createRedactor(config.secrets),
      load: {
        script,
        options: { ...load, workers: 1, inside: { image, pod, workers, cpu, memory, waitSec } },
      },
      profile: null,
    });
    return exitCode({ ...ending, interrupted: signal.aborted });
  });
}

/** @param {string} file @throws {LoadflameError} KUBE_POD_FILE */
function readPodFile(file) {
  const code = 'KUBE_POD_FILE';
  const { data } = parseYaml(readSource(file, code), file, { code });
  if (!isPlain(data)) throw new LoadflameError(code, { file, reason: 'there is no map in it' });
  return data;
}
