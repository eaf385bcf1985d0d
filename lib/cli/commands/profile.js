/** @import { Call, Progress } from '../io.js' */
import { readConfig } from '../../base/config/read-config.js';
import { createRedactor } from '../../base/files/redaction.js';
import { startServer } from '../../experiment/server/start-server.js';
import { runWithProgress } from '../io.js';
import { measure } from '../measure.js';
import { preparePods, prepareProfile } from '../prepare-profile.js';

/** @param {Call} call */
export async function run({ options, flags, command, io }) {
  const { pod, workload, full, live, source } = options;
  const config = readConfig({
    flags: { ...flags, ...(workload && { KUBE_WORKLOAD: workload }) },
    env: io.env,
  });
  const redactor = createRedactor(config.secrets);
  const record = async (/** @type {{progress: Progress, signal: AbortSignal}} */ shown) => {
    const context = { ...shown, config, root: options.profiles, io, redactor };
    const { progress, signal } = shown;
    const { say } = progress;
    const server = await startServer(options.command, { ...context, env: io.env, say });
    try {
      await measure({
        ...{ ...context, command, load: null, full, live, source },
        profile:
          pod || workload
            ? await preparePods(context, pod)
            : await prepareProfile(config, progress, signal, server.pid),
      });
    } finally {
      await server.stop();
    }
  };
  await runWithProgress(io, record, { first: 'stopping the profiler …' });
}
