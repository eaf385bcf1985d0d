/** The variant of a block, and what can be told of it before anything is started. */
import { matchesFactors } from '../study-file/matches-factors.js';

/** @import { StudyPlan, Variant } from '../study-records.d.ts' */

/**
 * @param {StudyPlan} plan
 * @param {string} id
 * @returns {Variant}
 */
export function findVariant({ variants }, id) {
  const variant = variants.find(one => one.id === id);
  if (!variant) throw new TypeError(`the plan has no variant ${id}`);
  return variant;
}

/**
 * Whether a variant gets a cell with py-spy: the study wants one, and this variant has a gunicorn.
 * @param {StudyPlan} plan
 * @param {string} id
 */
export function isProfiled(plan, id) {
  const { record, target, services } = plan.study;
  const { gunicorn } = target;
  if (record.profile === 'off' || gunicorn === null) return false;
  if (!('service' in gunicorn)) return true;
  const service = services.find(({ name }) => name === gunicorn.service);
  return matchesFactors(service?.when ?? null, findVariant(plan, id).factors);
}
