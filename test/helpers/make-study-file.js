/** A small study of a real gunicorn that burns CPU, as a file. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { stringify } from 'yaml';
import { FIXTURES, PYTHON } from './gunicorn.js';

/**
 * @param {string} folder in which it is written
 * @param {Record<string, unknown>} [over] replaces keys of the study
 * @param {string} [name] of the study
 * @returns {string} the file
 */
export function makeStudyFile(folder, over = {}, name = 'burn') {
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `${name}.yaml`);
  const url = 'http://127.0.0.1:{{ port.api }}';
  const study = {
    title: 'Do two workers burn twice as much as one?',
    factors: { workers: [1, 2] },
    ports: ['api'],
    services: { api: { command: burnCommand('{{ workers }}'), ready: { url: `${url}/` } } },
    target: { url, gunicorn: { service: 'api' } },
    scenario: { scenarios: [{ flow: [{ get: { url: '/burn/2' } }] }] },
    load: { model: 'closed', steps: [1, 2] },
    warmUp: '200ms',
    duration: '2s',
    settle: '100ms',
    repeats: 1,
    seed: 7,
    ...over,
  };
  writeFileSync(file, stringify(study));
  return file;
}

/** @param {string | number} workers */
export function burnCommand(workers) {
  return [
    ...[PYTHON, '-m', 'gunicorn', `--workers=${workers}`, '--bind=127.0.0.1:{{ port.api }}'],
    ...[`--chdir=${FIXTURES}`, '--control-socket={{ dir }}/control', 'burn_app:app'],
  ];
}
