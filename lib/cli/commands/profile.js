/** @import { Call } from '../io.js' */
import { readConfig } from '../../config/read-config.js';
import { createRedactor } from '../../files/redaction.js';
import { catchInterrupts, startProgress } from '../io.js';
import { measure } from '../measure.js';
import { preparePods, prepareProfile } from '../prepare-profile.js';
import { startServer } from '../start-server.js';

/** @param {Call} call */
export async function run({ options, flags, io }) {
  const { pod, workload } = options;
  const given = Object.entries(flags).filter(([, value]) => value !== undefined);
  const config = readConfig({
    flags: {
      ...options.set,
      ...Object.fromEntries(given),
      ...(workload && { KUBE_WORKLOAD: workload }),
    },
    env: io.env,
  });
  const progress = startProgress(io);
  const { signal, release } = catchInterrupts(progress.say, { first: 'stopping the profiler …' });
  const root = options.profiles;
  const redactor = createRedactor(config.secrets);
  const context = { config, root, progress, signal, io, redactor };
  const isInPods = Boolean(pod || workload);
  const server = await startServer(options.command, context);
  try {
    await measure({
      ...context,
      command: 'loadflame profile',
      load: null,
      full: options.full,
      profile: isInPods
        ? await preparePods(context, pod)
        : await prepareProfile(config, progress, signal, server.pid),
    });
  } finally {
    await server.stop();
    release();
  }
}
