import { maskSettings, readConfig } from '../../config/read-config.js';
import { EXIT } from '../../errors.js';
import { CHECKS } from '../../preflight/checks.js';
import { runChecks } from '../../preflight/run-checks.js';
import { settingFlags } from '../flags.js';
import { startProgress } from '../progress.js';

const MARKS = { ok: 'ok  ', warn: 'warn', bad: 'FAIL', skip: '-   ' };

/** @param {import('commander').Command} program */
export function addDoctorCommand(program) {
  const command = program
    .command('doctor')
    .description('check everything that a run needs, and say what to do about what is missing')
    .option('--print-config', 'show every setting and where it came from, secrets masked')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
Examples:
  loadflame doctor
  loadflame doctor --print-config
  TARGET=https://api.example.com loadflame doctor`,
    );
  settingFlags(command, ['TARGET', 'GUNICORN_PID']);
  command.action(async options => {
    const config = readConfig({ flags: options.settings() });
    if (options.printConfig) return printConfig(config);
    const progress = startProgress();
    const results = await runChecks(CHECKS, config, check => progress.update(check.title));
    progress.stop();
    if (options.json) {
      process.stdout.write(`${JSON.stringify(results, null, 2)}\n`);
    } else {
      for (const { level, title, text, hint } of results) {
        process.stdout.write(`${MARKS[level]}  ${title}: ${text}\n`);
        if (hint) process.stdout.write(`      → ${hint}\n`);
      }
    }
    if (results.some(({ level }) => level === 'bad')) process.exitCode = EXIT.missing;
  });
}

/** @param {import('../../config/read-config.js').Config} config */
function printConfig(config) {
  const settings = maskSettings(config);
  const width = Math.max(...settings.map(({ name }) => name.length));
  for (const { name, value, source } of settings) {
    process.stdout.write(`${name.padEnd(width)}  ${value || '-'}  (${source})\n`);
  }
}
