/** Keys that study files had before services were commands for the shell, and what says it now. */
import { makeMistake } from '../../files/check-shape.js';
import { isPlain } from '../../files/read-yaml.js';

/** @import { Mistake } from '../../files/check-shape.js' */

const OF_STUDY = {
  variables: 'write it into the command or `env` of a service, or as a field of a factor',
};
const OF_SERVICE = {
  prepare: 'do it in the command before the program starts, or once for the study in `setup`',
  after: 'do it in `prepare` of the study: it runs when all services are ready',
  files: 'let the command write them below $STUDY_WORK',
  user: 'let the command change the user, as studies/servers/postgres.sh does with setpriv',
  cwd: 'begin the command with `cd`: it starts in the folder of the study file',
  install: 'leave it out: the shell names a missing program',
  copies: 'write one service for each, with `when`',
  scope: 'leave it out: services start for each block, and files below $STUDY_WORK last',
};

/**
 * @param {Record<string, any>} form of a study, of whatever shape
 * @returns {Mistake | null} the first
 */
export function findOldKey(form) {
  const services = isPlain(form.services) ? Object.entries(form.services) : [];
  const places = [
    { path: [], value: form, keys: OF_STUDY },
    ...services.map(([name, value]) => ({ path: ['services', name], value, keys: OF_SERVICE })),
  ];
  for (const { path, value, keys } of places)
    for (const [key, change] of Object.entries(keys))
      if (isPlain(value) && Object.hasOwn(value, key))
        return { ...makeMistake([...path, key], 'is no longer a key', change), isKey: true };
  return null;
}
