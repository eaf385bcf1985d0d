/** What the study file says that a limit can be told by, and what more it could record. */
import { groupNumbered } from '../list-shares.js';

/** @import { Variant } from '../../study-records.d.ts' */
/** @import { Study } from '../../study-file.d.ts' */
/** @import { ComponentFact, StudyLimitFacts } from './limit-facts.d.ts' */

/** Factors and variables that are called after something that is had a number of at a time. */
const COUNTED = /conn|slot|pool|thread|concurren/i;

/** @param {Study} study @param {Variant} variant @returns {StudyLimitFacts['named']} */
export function listNamedNumbers({ factors, variables }, variant) {
  const values = [
    ...Object.entries(variables),
    ...factors.flatMap(({ name, values: own }) => {
      const value = own.find(({ label }) => label === variant.factors[name]);
      return value ? [[name, value.label], ...Object.entries(value.fields)] : [];
    }),
  ];
  return values.flatMap(([name, value]) =>
    COUNTED.test(String(name)) && Number(value) > 0
      ? [{ name: String(name), value: Number(value) }]
      : [],
  );
}

/** Components of one name and a number each, `backend-1`: the largest group. @param {ComponentFact[]} components */
export function countInstances(components) {
  const groups = groupNumbered(components);
  return Math.max(1, ...groups.map(({ length }) => length));
}

/** @param {Study} study @param {Pick<StudyLimitFacts, 'host' | 'components' | 'own' | 'saturation'>} facts */
export function listMissing({ record, load, target }, { host, components, own, saturation }) {
  const missing = [];
  if (components.length === 0)
    missing.push('name the processes of the target below `record: processes:`');
  if (!host) missing.push('the CPU time of the machine was not recorded');
  if (record.profile === 'off' && target.gunicorn)
    missing.push('`record: {profile: plateau}` shows what requests wait for');
  else if (record.profile !== 'off' && own === null)
    missing.push('the cell with a profile was not measured');
  if (Array.isArray(load.steps) && load.steps.length < 3)
    missing.push('measure more steps, at least three');
  else if (saturation.state === 'not-reached') missing.push('go on with more load');
  return missing;
}
