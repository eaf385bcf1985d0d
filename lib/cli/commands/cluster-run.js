/** @import { Call } from '../io.js' */
import { readConfig } from '../../config/read-config.js';
import { LoadflameError } from '../../errors.js';
import { isPlain, parseYaml, readSource } from '../../files/read-yaml.js';
import { createRedactor } from '../../files/redaction.js';
import { catchInterrupts, exitCode, quoteForShell, startProgress } from '../io.js';
import { measure } from '../measure.js';
import { prepareGates } from '../prepare-gates.js';

/** @param {Call} call */
export async function run({ args: [script], options, flags, typed, io }) {
  const { workers, cpu, memory, wait: waitSec, podFile, ...load } = options;
  const config = readConfig({ flags: { ...options.set, ...flags }, env: io.env });
  const inside = {
    image: config.require('KUBE_IMAGE'),
    pod: podFile ? readPodFile(podFile) : null,
  };
  const gates = await prepareGates(config, options);
  const progress = startProgress(io);
  const { signal, release } = catchInterrupts(progress.say);
  try {
    const ending = await measure({
      ...{ config, root: options.profiles, progress, signal, io, gates, full: options.full },
      redactor: createRedactor(config.secrets),
      command: ['loadflame', ...typed.map(quoteForShell)].join(' '),
      load: {
        script,
        options: { ...load, workers: 1, inside: { ...inside, workers, cpu, memory, waitSec } },
      },
      profile: null,
    });
    return exitCode({ ...ending, interrupted: signal.aborted });
  } finally {
    release();
  }
}

/** @param {string} file @throws {LoadflameError} KUBE_POD_FILE */
function readPodFile(file) {
  const complain = (/** @type {string} */ at, /** @type {string} */ reason) =>
    new LoadflameError('KUBE_POD_FILE', { file: at, reason });
  const { data } = parseYaml(readSource(file, 'KUBE_POD_FILE'), file, { complain });
  if (!isPlain(data)) throw complain(file, 'there is no map in it');
  return data;
}
