/** The command line: reads what was typed, runs it, and is the only place that exits. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { SETTINGS } from '../base/config/settings.js';
import { EXIT, LoadflameError } from '../base/errors.js';
import { createRedactor } from '../base/files/redaction.js';
import { replaceFile } from '../base/files/replace-file.js';
import { tryOr } from '../base/files/try-or.js';
import { quoteForShell } from '../base/format.js';
import { BETWEEN_SIDES, COMMANDS, EXAMPLES } from './command-table.js';
import { exitCodeOfError } from './exit-code.js';
import { createNamer, keepPlain } from './io.js';

/** @import { CommandRow } from './command-table.js' */
/** @import { OptionRow } from './option-table.js' */
/** @import { Io } from './io.js' */

const BUG = 'This is a bug in loadflame. Please report it with the lines above.\n';

/** @param {string[]} argv as `process.argv` */
export async function main(argv) {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', ignoreNobodyReads);
  // If a promise never settles, Node ends as soon as nothing is left to wait for; that is not a success.
  process.exitCode = EXIT.bug;
  process.once('beforeExit', () =>
    process.stderr.write(`error: nothing is left to wait for\n${BUG}`),
  );
  const code = await runCommandLine(argv.slice(2), process);
  // After its command, a forgotten socket must not keep the process alive; `process.exit` alone would
  // cut off output that a pipe has not taken yet.
  process.exitCode = code;
  process.stdout.write('', () => process.stderr.write('', () => process.exit()));
}

/**
 * @param {string[]} typed everything behind the program's name
 * @param {Record<'stdout' | 'stderr', import('./io.js').Stream> & Pick<Io, 'env'>} given
 * @returns {Promise<number>} exit code
 */
export async function runCommandLine(typed, { stdout, stderr, env }) {
  const io = { stdout: keepPlain(stdout), stderr: keepPlain(stderr), env };
  let code;
  const program = makeProgram(io, async (command, call) => {
    const { run } = await import(`./commands/${command}.js`);
    // V8's default; bin/loadflame.js has changed it.
    setFlagsFromString('--semi-space-growth-factor=2');
    const shown = ['loadflame', ...typed.map(quoteForShell)].join(' ');
    code = await run({ ...call, command: shown, io });
  });
  try {
    await program.parseAsync(markSides(typed), { from: 'user' });
    return code ?? EXIT.good;
  } catch (error) {
    const exit = exitCodeOfError(error);
    const shown = createRedactor().redactError(error);
    showError(shown, io);
    if (exit !== EXIT.good) await writeJunit(typed, shown);
    return exit;
  }
}

/**
 * Replaces `--` between the sides of a comparison with an argument, because Commander ends options
 * there.
 * @param {string[]} typed
 */
export function markSides(typed) {
  return typed[0] === 'compare' ? typed.map(arg => (arg === '--' ? BETWEEN_SIDES : arg)) : typed;
}

/** The command tree. @param {Io} io @param {Parameters<typeof addCommand>[2]} run runs a command */
export function makeProgram(io, run) {
  const manifest = new URL('../../package.json', import.meta.url);
  const program = new Command('loadflame')
    .description(
      "Load-tests a Python web API and profiles it at the same time; one report says where a request's time goes.",
    )
    .version(JSON.parse(readFileSync(manifest, 'utf8')).version)
    .showHelpAfterError('(add --help for what is allowed)')
    .addHelpText('after', EXAMPLES)
    .configureOutput({
      writeOut: text => io.stdout.write(text),
      writeErr: text => io.stderr.write(text),
    })
    .exitOverride();
  for (const row of COMMANDS) addCommand(program, row, run);
  return program;
}

/**
 * Writes why there was no run. Without it, a build server reads the file of an earlier run.
 * @param {string[]} typed
 * @param {unknown} error
 */
async function writeJunit(typed, error) {
  const options = { junit: { type: /** @type {const} */ ('string') } };
  const { junit } = parseArgs({ args: typed, strict: false, options }).values;
  // Its folder has to exist, as for a run.
  if (typeof junit !== 'string' || !existsSync(path.dirname(junit))) return;
  const { renderJunit } = await import('../report/render-junit.js');
  const { message = String(error), hint } = /** @type {{message?: string, hint?: string}} */ (
    error
  );
  const startedAtMs = Date.now();
  const invalid = hint ? `${message}\n${hint}` : message;
  const suite = { name: 'loadflame', startedAtMs, durationMs: 0, invalid, results: [] };
  // The cause of the error may be that this file cannot be written.
  tryOr(null, () => replaceFile(junit, renderJunit(suite), { shared: true }));
}

/**
 * @param {Command} parent
 * @param {CommandRow} row
 * @param {(command: string, call: Pick<import('./io.js').Call, 'args' | 'options' | 'flags'>) => Promise<void>} run
 * @param {string[]} [above] words of the parent
 */
function addCommand(parent, row, run, above = []) {
  const { name, about, args = [], options = [], help, commands = [], hidden = false } = row;
  const command = parent
    .command(name, { hidden })
    .description(about)
    .addHelpText('after', `\n${help}`);
  for (const arg of args) command.argument(...arg);
  for (const option of options) command.addOption(makeOption(option));
  const flags = row.settings?.split(' ').map(makeSettingFlag) ?? [];
  for (const { option } of flags) command.addOption(option);
  const words = [...above, name];
  for (const below of commands) addCommand(command, below, run, words);
  if (commands.length > 0) return;
  command.action(() => {
    const given = command.opts();
    const own = flags.flatMap(({ variable, option }) => {
      const value = given[option.attributeName()];
      return value === undefined ? [] : [[variable, value]];
    });
    return run(words.join('-'), {
      args: command.processedArgs,
      options: given,
      flags: { ...given.set, ...Object.fromEntries(own) },
    });
  });
}

/** @param {OptionRow} row */
function makeOption([flags, about, allowed, fallback, conflicts = '']) {
  const option = new Option(flags, about).conflicts(conflicts.split(' '));
  if (Array.isArray(allowed)) option.choices(allowed);
  else if (typeof allowed === 'function') option.argParser(allowed);
  else if (allowed)
    option.argParser(text => {
      try {
        return allowed.parse(text);
      } catch {
        throw new InvalidArgumentError(`Write ${allowed.allowed}.`);
      }
    });
  if (fallback === undefined) return option;
  const isParsed = typeof allowed === 'object' && 'parse' in allowed;
  return isParsed ? option.default(allowed.parse(fallback), fallback) : option.default(fallback);
}

/**
 * The flag that stands for a setting: `--target` is `TARGET`.
 * Secrets have none: everybody on the machine can read a command line.
 * @param {string} name of the setting
 */
function makeSettingFlag(name) {
  const setting = SETTINGS.find(item => item.name === name);
  if (!setting || setting.secret) throw new TypeError(`${name} is no setting for a flag`);
  const flag = setting.flag ?? name.toLowerCase().replaceAll('_', '-');
  return { variable: name, option: new Option(`--${flag} <value>`, `${setting.about} (${name})`) };
}

/** @param {unknown} error @param {Io} io */
function showError(error, { stderr, env }) {
  if (error instanceof CommanderError) return;
  const given = /** @type {{hint?: string}} */ (error).hint;
  const hint = given && createNamer({ env })(given);
  const { message = String(error), stack = message } = /** @type {Error} */ (error);
  const code = error instanceof LoadflameError ? `code:  ${error.code}\n` : '';
  if (hint) stderr.write(`error: ${message}\nhint:  ${hint}\n${code}`);
  else stderr.write(`${stack}\n${BUG}`);
}

/**
 * `loadflame … | head`, or a terminal that was closed during a run: no one reads the output, but the
 * run folder is still needed.
 * @param {NodeJS.ErrnoException} error
 */
function ignoreNobodyReads(error) {
  if (!['EPIPE', 'EIO'].includes(error.code ?? '')) throw error;
}
