/** What a study needs on this machine: said before the first block, not after an hour. */
import { readConfig } from '../../config/read-config.js';
import { findNeededPySpy } from '../../record/profiler/find-py-spy.js';
import { allocatePorts } from '../services/allocate-ports.js';
import { readSecrets } from '../services/service-environment.js';
import { checkPrograms } from '../services/start-services.js';
import { matchesFactors } from '../study-file/matrix.js';
import { namesFor } from '../study-file/names.js';

/** @import { StudyPlan } from '../../facts/study-records.d.ts' */

/**
 * @param {StudyPlan} plan
 * @throws {LoadflameError} SETTING_MISSING, STUDY_PROGRAM_MISSING, PYSPY_…
 */
export async function checkMachine({ study, variants }) {
  readSecrets(study);
  const ports = await allocatePorts(study.ports);
  for (const variant of variants) {
    const needed = study.services.filter(({ when }) => matchesFactors(when, variant.factors));
    checkPrograms(needed, namesFor(study, variant, { ports, work: '/' }));
  }
  if (study.record.profile !== 'off') await findNeededPySpy(readConfig());
}
