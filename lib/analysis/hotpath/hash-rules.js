import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { orThrow } from '../../base/errors.js';

/**
 * Identifies the content of a user's rules. Imports no YAML: a report that is up to date needs none.
 * @param {string | null} file
 * @returns {string | undefined} undefined without one
 * @throws {import('../../base/errors.js').LoadflameError} RULES_UNREADABLE
 */
export const hashRules = file =>
  file
    ? orThrow('RULES_UNREADABLE', { file }, () => hash('sha256', readFileSync(file)))
    : undefined;
