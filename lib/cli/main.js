/** The command line: builds the command tree, runs it, and is the only place that exits. */
import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { EXIT, LoadflameError } from '../errors.js';
import { addCompanionCommand } from './commands/companion.js';
import { addCompareCommand } from './commands/compare.js';
import { addDemoCommand } from './commands/demo.js';
import { addDoctorCommand } from './commands/doctor.js';
import { addInitCommand } from './commands/init.js';
import { addOpenCommand } from './commands/open.js';
import { addProfileCommand } from './commands/profile.js';
import { addReportCommand } from './commands/report.js';
import { addStartCommand } from './commands/start.js';
import { addStudyCommand } from './commands/study.js';
import { addTestCommand } from './commands/test.js';
import { addTopCommand } from './commands/top.js';

const { version } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
);

const EXAMPLES = `
Examples:
  loadflame start                                a demo target, load and profile: see it work
  loadflame test scenarios/csr-all.yaml          load test only
  loadflame test scenarios/csr-all.yaml --profile   load test and profile in one report
  loadflame profile                              record gunicorn until Ctrl+C, in a second terminal
  loadflame report                               build the report of the last run again
  loadflame compare <run A> <run B>              did a change help?
  loadflame study run <name>                     how does it scale, and what stops it?
  loadflame doctor                               what is missing, and what to do about it

Settings come from flags, the environment, envs.sh and .env: loadflame doctor --print-config`;

/** @param {string[]} argv as `process.argv` */
export async function main(argv) {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', ignoreNobodyReads);
  const program = new Command('loadflame')
    .description(
      "Load-tests a Python web API and profiles it at the same time; one report says where a request's time goes.",
    )
    .version(version)
    .showHelpAfterError('(add --help for what is allowed)')
    .addHelpText('after', EXAMPLES)
    .exitOverride();
  for (const add of [
    addStartCommand,
    addTestCommand,
    addProfileCommand,
    addTopCommand,
    addReportCommand,
    addCompareCommand,
    addStudyCommand,
    addOpenCommand,
    addDoctorCommand,
    addDemoCommand,
    addCompanionCommand,
    addInitCommand,
  ]) {
    add(program);
  }
  for (const command of program.commands) command.exitOverride();
  try {
    await program.parseAsync(argv);
    // A command that ends well has nothing left to do: a forgotten socket must not keep us here.
    exitWhenWritten(process.exitCode ?? EXIT.good);
  } catch (error) {
    exitWhenWritten(report(error));
  }
}

/** Prints an error and gives its exit code. @param {unknown} error @returns {number} */
function report(error) {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.good : EXIT.usage;
  const { hint } = /** @type {{hint?: string}} */ (error);
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof LoadflameError) {
    process.stderr.write(`error: ${message}\nhint:  ${hint}\ncode:  ${error.code}\n`);
    return error.exitCode;
  }
  // The demo is no part of the library and throws plain errors; what it has a hint for is no bug.
  if (hint) {
    process.stderr.write(`error: ${message}\nhint:  ${hint}\n`);
    return EXIT.missing;
  }
  process.stderr.write(`${error instanceof Error ? error.stack : message}\n`);
  process.stderr.write('This is a bug in loadflame. Please report it with the lines above.\n');
  return EXIT.bug;
}

/** `process.exit` cuts off what a pipe has not taken yet. @param {number | string} code */
function exitWhenWritten(code) {
  process.exitCode = code;
  process.stdout.write('', () => process.stderr.write('', () => process.exit()));
}

/**
 * `loadflame … | head`, or a terminal that was closed in the middle of a run: nobody reads any more,
 * and what goes to the run folder is still wanted.
 * @param {NodeJS.ErrnoException} error
 */
function ignoreNobodyReads(error) {
  if (!['EPIPE', 'EIO'].includes(error.code ?? '')) throw error;
}
