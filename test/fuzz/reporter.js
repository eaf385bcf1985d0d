/** Makes one report after the other for whom it is a child of, and tells what was printed. */

import { pickVariables } from '../../lib/base/process/bare-environment.js';
import { runCommandLine } from '../../lib/cli/main.js';

process.on('message', async (/** @type {string[]} */ args) => {
  let [stdout, stderr] = ['', ''];
  const exit = await runCommandLine(args, {
    stdout: { write: (/** @type {string} */ text) => (stdout += text) },
    stderr: { write: (/** @type {string} */ text) => (stderr += text) },
    env: pickVariables(['KUBECONFIG']),
  });
  process.send?.({ exit, stdout, stderr });
});
