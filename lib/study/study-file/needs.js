/** Which variants of a study this machine can run, and what it lacks for the others. */
import { constants } from 'node:fs';
import { availableParallelism } from 'node:os';
import { canAccess } from '../../files/regular-file.js';
import { matchesFactors } from './matrix.js';

/** @import { Need } from '../../facts/study-file.d.ts' */
/** @import { Lack, LeftOut, Variant } from '../../facts/study-records.d.ts' */

/** @typedef {{cpus: number, canWrite: (file: string) => boolean}} Machine */

/** @type {Machine} */
const HERE = {
  cpus: availableParallelism(),
  canWrite: file => canAccess(file, constants.W_OK),
};

/**
 * @param {Variant[]} variants @param {Need[]} [needs] @param {Machine} [machine]
 * @returns {{variants: Variant[], leftOut: LeftOut[]}} those that can be run, and the others
 */
export function leaveOut(variants, needs = [], machine = HERE) {
  const all = variants.map(variant => ({
    variant,
    lacks: needs
      .filter(({ when }) => matchesFactors(when, variant.factors))
      .flatMap(need => findLack(need, machine) ?? []),
  }));
  return {
    variants: all.filter(({ lacks }) => lacks.length === 0).map(({ variant }) => variant),
    leftOut: all
      .filter(({ lacks }) => lacks.length > 0)
      .map(({ variant: { label }, lacks }) => ({ label, lacks })),
  };
}

/** @param {Need} need @param {Machine} machine @returns {Lack | null} */
function findLack({ cpus: least, writable: file }, { cpus: has, canWrite: isWritable }) {
  if (least !== undefined && least > has) return { id: 'cpus', facts: { least, has } };
  if (file !== undefined && !isWritable(file)) return { id: 'writable', facts: { file } };
  return null;
}
