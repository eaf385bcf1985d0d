/** Flags that stand for settings: `--target` is `TARGET`, `--max-virtual-users` is `MAX_VIRTUAL_USERS`. */
import { SETTINGS } from '../config/settings.js';

/**
 * Adds flags for settings to a command. Secrets have none: a command line can be read by everybody on
 * the machine. The options given to the action get a function `settings()` with what was set.
 * @param {import('commander').Command} command
 * @param {string[]} names of settings
 */
export function settingFlags(command, names) {
  for (const name of names) {
    const setting = SETTINGS.find(item => item.name === name);
    if (!setting || setting.secret) throw new TypeError(`${name} is no setting for a flag`);
    command.option(`--${flagOf(name)} <value>`, `${setting.about} (${name})`);
  }
  command.hook('preAction', () => {
    const options = command.opts();
    const given = Object.fromEntries(names.map(name => [name, options[camelCase(flagOf(name))]]));
    command.setOptionValue('settings', () => given);
  });
}

/** @param {string} name */
function flagOf(name) {
  return name.toLowerCase().replaceAll('_', '-');
}

/** @param {string} flag */
function camelCase(flag) {
  return flag.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());
}
