/** A small study of a real gunicorn that burns CPU, as a file. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { stringify } from 'yaml';
import { FIXTURES, PYTHON } from './gunicorn.js';

export const API_URL = 'http://127.0.0.1:{{ $env.STUDY_PORT_API }}';

/**
 * @param {string} folder in which it is written
 * @param {Record<string, unknown>} [over] replaces keys of the study
 * @param {string} [name] of the study
 * @returns {string} the file
 */
export function makeStudyFile(folder, over = {}, name = 'burn') {
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `${name}.yaml`);
  const study = {
    title: 'Do two workers burn twice as much as one?',
    factors: { workers: [1, 2] },
    services: { api: { command: burnCommand('$STUDY_WORKERS'), ready: { url: '/' } } },
    target: { url: API_URL, gunicorn: { service: 'api' } },
    scenario: { scenarios: [{ flow: [{ get: { url: '/burn/2' } }] }] },
    load: { model: 'closed', steps: [1, 2] },
    warmUp: '200ms',
    duration: '2s',
    settle: '100ms',
    repeats: 1,
    ...over,
  };
  writeFileSync(file, stringify(study));
  return file;
}

/** @param {string | number} workers @param {string} [app] */
export function burnCommand(workers, app = 'burn_app:app') {
  const where = `--bind=127.0.0.1:$STUDY_PORT --chdir=${FIXTURES}`;
  const control = '--control-socket="$STUDY_WORK/control"';
  return `${PYTHON} -m gunicorn --workers=${workers} ${where} ${control} ${app}`;
}
