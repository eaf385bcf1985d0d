import { fillTemplates } from '../study-file/fill.js';
import { requireProgram } from './run-command.js';
import { makeEnvironment } from './service-environment.js';

/** @typedef {import('../study-file.d.ts').Service} Service */

/**
 * Are the programs of these services there? Before the first is started: a long start for nothing is a
 * nuisance. What is named by its path may be made by the service itself, and is looked for later.
 * @param {Service[]} services may hold templates
 * @param {Record<string, unknown>} names for them; `dir` is not needed
 * @throws {LoadflameError} STUDY_PROGRAM_MISSING
 */
export function checkPrograms(services, names) {
  for (const unfilled of services) {
    const service = fillService(unfilled, names, '/');
    const { ready } = service;
    const surroundings = { env: makeEnvironment(service.env), cwd: '/' };
    const looks = ready.kind === 'command' ? [ready.command] : [];
    for (const command of [...service.prepare, service.command, ...service.after, ...looks]) {
      if (command[0]?.includes('/')) continue;
      const owner = `the service ${service.name}`;
      requireProgram(command, surroundings, { owner, install: service.install });
    }
  }
}

/**
 * @param {Service} service @param {Record<string, unknown>} names
 * @param {string} dir the service's own folder
 * @returns {Service} without templates
 */
export function fillService(service, names, dir) {
  return fillTemplates(service, { ...names, dir }, { at: `services.${service.name}` });
}
