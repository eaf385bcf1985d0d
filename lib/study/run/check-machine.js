/** What a study needs of this machine: said before the first block, not after an hour. */
import { readConfig } from '../../config/read-config.js';
import { findNeededPySpy } from '../../record/profiler/find-py-spy.js';
import { readSecrets } from '../services/service-environment.js';

/** @import { StudyPlan } from '../../facts/study-records.d.ts' */

/**
 * @param {Pick<StudyPlan, 'study'>} plan
 * @throws {LoadflameError} SETTING_MISSING, PYSPY_…
 */
export async function checkMachine({ study }) {
  readSecrets(study);
  if (study.record.profile !== 'off') await findNeededPySpy(readConfig());
}
