import { COMMANDS } from './command-table.js';

const NAMES = COMMANDS.map(({ name }) => name).join('|');
const CALL = new RegExp(`(?:npx )?(?<![\\w/.-])loadflame (?=(?:${NAMES})\\b)`, 'g');

/**
 * Names the command in advice as it was run, so that it can be typed as it is: npm says in the
 * environment whose script it runs.
 * @param {{env: NodeJS.ProcessEnv}} io
 * @returns {(text: string) => string}
 */
export function createNamer({ env }) {
  const isNpm = env.npm_command === 'exec' || env.npm_lifecycle_event !== undefined;
  if (!isNpm) return text => text;
  const isClone = env.npm_command !== 'exec' && env.npm_package_name === 'loadflame';
  return text => text.replace(CALL, isClone ? 'npm run loadflame -- ' : 'npx loadflame ');
}

/** A word as a POSIX shell takes it, whatever it holds. @param {string} word */
export function quoteForShell(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
