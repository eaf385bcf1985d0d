/** Workers of a task queue, recorded beside the server: each has a recording of its own. */
import { ofKind } from '../../run/ndjson.js';
import { taskWorkerFiles } from '../../run/run-folder.js';
import { readRecords } from './read-run.js';
import { readRunProfile } from './read-run-profile.js';

/** @import { RunRecords } from './read-run.js' */

/** @param {Pick<RunRecords, 'files' | 'manifest'>} records */
export async function readTaskWorkers({ files, manifest }) {
  const { rootPids = [] } = manifest.profile?.taskWorkers ?? {};
  return Promise.all(
    rootPids.map(async (_, index) => {
      const own = taskWorkerFiles(files, index + 1);
      const { records: segments } = await readRecords(own, manifest, 'segments');
      const { records: calls } = await readRecords(own, manifest, 'calls');
      const { reason = null } = ofKind(segments, 'recording-end')[0] ?? {};
      return { segments, calls, profile: await readRunProfile({ files: own, segments }), reason };
    }),
  );
}
