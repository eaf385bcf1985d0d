/** The checks of `doctor`. They run one after the other, and later checks can use results of earlier ones. */
import { constants, existsSync } from 'node:fs';
import { readServerPlace } from '../../base/config/read-config.js';
import { LoadflameError } from '../../base/errors.js';
import { createRedactor } from '../../base/files/redaction.js';
import { canAccess } from '../../base/files/regular-file.js';
import { isClusterNamed } from '../../base/kubernetes/permissions.js';
import { readAuthConfig } from '../../load/auth/auth-config.js';
import { TokenSource } from '../../load/auth/token-source.js';
import { KEY_HEADER } from '../../load/engine/http/headers.js';
import { prepareLoad } from '../../load/start-load.js';
import { checkLogFiles } from '../../record/logs/log-files.js';
import { findPySpy } from '../../record/profiler/find-py-spy.js';
import { probePrivileges } from '../../record/profiler/privileges.js';
import { probeUnwinder } from '../../record/profiler/unwinder/start-unwinder.js';
import { formatFound } from '../../record/target/describe-server.js';
import { findServer } from '../../record/target/find-server.js';
import { isLocalTarget } from '../../record/target/local-target.js';
import { describeVersions } from '../../run/host.js';
import { RUNS_FOLDER } from '../../run/run-folder.js';
import { CLUSTER_CHECKS } from './cluster-checks.js';
import { askFirstAddresses } from './first-addresses.js';
import { fillSettings, get, namesOf, runScenarioCheck } from './preflight.js';
import { readScenarioBlock } from './scenario-block.js';

/** @import { Config } from '../../base/config/read-config.js' */
/** @import { Check, CheckContext, CheckResult } from './check.d.ts' */
/** @import { ScenarioBlock } from './scenario-block.js' */

/** companion/loadflame_companion.py reports which worker responded and, in newer versions, its own version. */
const COMPANION =
  /worker;desc="([0-9a-f]{8}(?:-\d+)?\.\d+)"(?:.*, companion;desc="([\w.+-]{1,30})")?/;

/** @param {string} text @returns {CheckResult} */
const ok = text => ({ level: 'ok', text });
/** @param {string} text @param {string} [hint] @returns {CheckResult} */
const warn = (text, hint) => ({ level: 'warn', text, ...(hint && { hint }) });
/** @param {string} text @param {string} [hint] @returns {CheckResult} */
const skip = (text, hint) => ({ level: 'skip', text, ...(hint && { hint }) });

const NOT_LOCAL =
  'the target is not on this machine, so py-spy cannot see it; load tests work. To profile it, run py-spy beside the server and pass its file to `loadflame report`';

const NO_STACKS = 'not needed: PROFILER=none records no stacks';

/** @type {Check} */
const programs = {
  id: 'programs',
  title: 'programs',
  check: () => {
    const { node, artillery } = describeVersions();
    return ok(`Node ${node}${artillery ? `, Artillery ${artillery}` : ''}`);
  },
};

/** @type {Check} */
const runsFolder = {
  id: 'runs-folder',
  title: 'folder for runs',
  check: () => {
    const place = existsSync(RUNS_FOLDER) ? RUNS_FOLDER : '.';
    if (canAccess(place, constants.W_OK)) return ok(`${RUNS_FOLDER}/ is writable`);
    return { level: 'bad', text: `${place} is not writable`, hint: `chmod u+w ${place}` };
  },
};

/** @type {Check} */
const targetAnswers = {
  id: 'target',
  title: 'target',
  check: async context => {
    const target = context.target ?? context.config.require('TARGET');
    const { status } = await get(target, { trustsAnyone: context.trustsAnyone });
    if (status < 500) return ok(`${target} responds (status ${status})`);
    return warn(`${target} responds with status ${status}`, "see the API's log");
  },
};

/** @type {Check} */
const login = {
  id: 'login',
  title: 'login',
  check: async context => {
    const auth = readAuthConfig(context.config);
    if (!auth) return skip('OIDC_ISSUER is not set: requests are sent without a token');
    const source = new TokenSource({ ...auth, users: auth.users.slice(0, 1) });
    try {
      await source.start();
      context.token = source.tokens()[0] ?? null;
      const who = auth.users[0]?.username ?? auth.clientId;
      return ok(`${auth.issuer} issued a token for ${who} (${auth.flow})`);
    } finally {
      await source.stop();
    }
  },
};

/** @type {Check} */
const pySpy = {
  id: 'py-spy',
  title: 'py-spy',
  check: async ({ config }) => {
    if (config.get('PROFILER') === 'none') return skip(NO_STACKS);
    const { path, version } = await findPySpy(config.get('PYSPY'));
    return ok(`${version} (${path})`);
  },
};

/** @type {Check} */
const server = {
  id: 'server',
  title: 'server',
  check: async context => {
    const { config, target } = context;
    if (target && !(await isLocalTarget(target)) && !config.isSet('SERVER_PID'))
      return skip(NOT_LOCAL);
    const found = await findServer({ ...readServerPlace(config), target });
    context.serverPid = found.rootPid;
    if (!found.isForDevelopment) return ok(formatFound(found));
    return warn(
      `${formatFound(found)} is set up for development`,
      'measure it as it runs in production: under gunicorn or uvicorn, without a reloader',
    );
  },
};

/** @type {Check} */
const permission = {
  id: 'permission',
  title: 'permission to profile',
  check: async ({ config, serverPid }) => {
    if (serverPid === null) return skip('not checked: no server was found');
    const profiler = config.get('PROFILER');
    if (profiler === 'none') return skip(NO_STACKS);
    const own =
      profiler === 'py-spy' ? { refusal: 'PROFILER=py-spy' } : await probeUnwinder(serverPid);
    if (!('refusal' in own)) {
      const where = own.recorder.sameCore ? "from the target's core" : 'without real-time priority';
      const text = `loadflame's own recorder reads it without pausing it, ${where}`;
      return ok(`${text}, on Python ${own.python}`);
    }
    if (profiler === 'remote')
      throw new LoadflameError('PROFILER_REFUSED', { pid: serverPid, reason: own.refusal });
    const pySpy = await findPySpy(config.get('PYSPY'));
    const { sudo, mode } = await probePrivileges({ pySpy, pid: serverPid });
    const how = sudo ? 'with sudo (only py-spy runs under it)' : 'without sudo';
    const pauses = mode === 'blocking' ? 'with pauses' : 'without pausing it';
    return ok(
      `py-spy can read it ${how}, ${pauses}; not loadflame's own recorder, which needs Python 3.15: ${own.refusal}`,
    );
  },
};

/** @type {Check} */
const logs = {
  id: 'logs',
  title: "the API's logs",
  check: ({ config }) => {
    const files = config.get('LOG_FILES');
    if (!files) {
      const hint = 'optional: with LOG_FILES a report shows the log lines of each error burst';
      return skip('LOG_FILES is not set', hint);
    }
    checkLogFiles(files);
    return ok('LOG_FILES is readable');
  },
};

/** @type {Check} */
const companion = {
  id: 'companion',
  title: 'companion',
  check: async ({ config, target, trustsAnyone }) => {
    if (!target) return skip('not checked: TARGET is not set');
    const key = config.get('LOADFLAME');
    const { headers } = await get(target, {
      trustsAnyone,
      ...(key && { own: { [KEY_HEADER]: key } }),
    });
    const timing = headers['server-timing'] ?? '';
    const [, worker, version] = COMPANION.exec(timing) ?? [];
    const own = describeVersions().loadflame;
    if (worker && version !== own) {
      return warn(
        `the companion in the API has ${version ? `version ${version}` : 'no version'}, and loadflame is ${own}`,
        'copy the one of this version: `loadflame companion --force`, then restart the API',
      );
    }
    if (worker && !/total;dur=[\d.]+, cpu;dur=/.test(timing)) {
      return warn(
        'the companion in the API does not report CPU time, so the CPU per endpoint is only estimated from samples',
        'it runs on asyncio and in threads; under gevent and eventlet, remove what else calls greenlet.settrace (docs/companion.md)',
      );
    }
    if (worker)
      return ok(`installed in the API: worker ${worker} reported the time of its response`);
    return skip(
      'the response has none of its headers: CPU per endpoint is known only for views whose source states the route',
      key
        ? 'if the API has the companion, restart it with the key of LOADFLAME that is set here (docs/companion.md)'
        : 'optional: `loadflame companion`, a line in gunicorn.conf.py or in the ASGI app, and LOADFLAME=1. If the API has that, and is elsewhere or behind a proxy: set LOADFLAME to the same key there and here (docs/companion.md)',
    );
  },
};

/**
 * A script with its declarations and effective settings, or why it cannot be used.
 * @typedef {object} ScriptSettings
 * @property {string} file
 * @property {ScenarioBlock | null} block null if the script cannot be read
 * @property {Config | null} config null if a variable of the script is invalid
 * @property {LoadflameError | null} error
 */

/**
 * @param {string[]} files scripts
 * @param {Config} config
 * @returns {ScriptSettings[]}
 */
export function readScripts(files, config) {
  return files.map(file => {
    let block = null;
    try {
      block = readScenarioBlock(file);
      return { file, block, config: config.withVariables(block.variables), error: null };
    } catch (error) {
      if (!(error instanceof LoadflameError)) throw error;
      return { file, block, config: null, error };
    }
  });
}

/**
 * The checks that scripts need; identical checks of several scripts run once.
 * @param {ScriptSettings[]} scripts
 * @returns {Check[]}
 */
function checksOf(scripts) {
  /** @type {Map<string, Check>} */
  const checks = new Map();
  /** @param {string} key @param {Omit<Check, 'id'> & {id?: string}} check */
  const add = (key, check) =>
    void (checks.has(key) || checks.set(key, { id: 'scenario', ...check }));
  for (const { file, block, config, error } of scripts) {
    if (!block || !config) {
      add(file, { title: file, check: () => Promise.reject(error) });
      continue;
    }
    const missing = block.variables.filter(({ name }) => config.get(name) === null);
    for (const { name } of missing)
      add(name, { title: `${name} of ${file}`, check: () => config.require(name) });
    if (missing.length > 0) continue;
    // A check may depend on the previous one, such as a list of something that does not exist.
    let isEarlierWrong = false;
    for (const declared of block.checks) {
      const { at, ...wanted } = declared;
      const values = namesOf(wanted).map(name => config.text(name));
      add(JSON.stringify([wanted, values, block.target]), {
        title: `scenario, GET ${declared.get}`,
        check: async ({ token, trustsAnyone }) => {
          if (!token && config.get('OIDC_ISSUER')) return skip('not checked: there is no token');
          const target = config.get('TARGET') ?? fillSettings(block.target ?? '', config, at);
          if (!target) config.require('TARGET');
          if (isEarlierWrong) return skip('not checked: the check before it failed');
          isEarlierWrong = true;
          const asked = { config, target, token, trustsAnyone };
          const { isChecked, text } = await runScenarioCheck(declared, asked);
          isEarlierWrong = false;
          return isChecked ? ok(text) : skip(text);
        },
      });
    }
    const check = (/** @type {CheckContext} */ context) => checkScript(file, config, context);
    add(file, { id: 'script', title: file, check });
  }
  return [...checks.values()];
}

/**
 * Checks a script as a run would read it, and the responses of the target to its first requests.
 * @param {string} file
 * @param {Config} config with its variables @param {CheckContext} context
 * @returns {Promise<CheckResult>}
 */
async function checkScript(file, config, context) {
  const { token, trustsAnyone } = context;
  /** @type {ReturnType<typeof prepareLoad>} */
  let prepared;
  try {
    prepared = prepareLoad(file, config, { insecure: trustsAnyone });
  } catch (error) {
    const { code } = /** @type {LoadflameError} */ (error);
    if (code !== 'SCRIPT_NO_TARGET') throw error;
    return skip('not checked: it has no target yet');
  }
  if (!token && config.get('OIDC_ISSUER')) return skip('not checked: there is no token');
  const { responses, warnings } = await askFirstAddresses(prepared, { config, token });
  const isOfTarget = context.target && isSameOrigin(context.target, prepared.target);
  if (isOfTarget && responses.length + warnings.length > 0) context.hasScript = true;
  if (warnings.length > 0) return warn(warnings.join('; '));
  return ok(responses.join('; ') || 'can be run; none of its requests is known before a user runs');
}

/** @param {string} one @param {string} other */
const isSameOrigin = (one, other) => new URL(one).origin === new URL(other).origin;

/** TARGET, or the target that a script defines. @param {Config} config @param {ScriptSettings[]} scripts */
function findTarget(config, scripts) {
  const own = scripts.map(({ block }) => block?.target ?? '');
  return config.get('TARGET') ?? own.find(target => /^https?:\/\/[^{]+$/.test(target)) ?? null;
}

/**
 * @param {Config} config
 * @param {ScriptSettings[]} scripts whose checks also run
 * @param {{insecure?: boolean, onStart?: (check: Check) => void, onlyCluster?: boolean}} [options] `insecure`: the
 *   target's certificates are not verified
 * @returns {Promise<(CheckResult & {id: string, title: string})[]>}
 */
export async function runChecks(config, scripts, options = {}) {
  const { insecure = false, onStart, onlyCluster = false } = options;
  /** @type {CheckContext} */
  const context = {
    ...{ config, target: findTarget(config, scripts), trustsAnyone: insecure },
    ...{ token: null, hasScript: false, serverPid: null, cluster: null },
    redactor: createRedactor(config.secrets),
  };
  /** @type {(CheckResult & {id: string, title: string})[]} */
  const results = [];
  /** The one result for all scripts that are meant for another API. @type {typeof results[number] | null} */
  let foreign = null;
  // In an order that is logical for readers.
  const here = [programs, runsFolder, targetAnswers, login, ...checksOf(scripts)];
  const checks = [
    ...(onlyCluster ? [] : [...here, pySpy, server, permission, companion, logs]),
    ...(onlyCluster || isClusterNamed(config) ? CLUSTER_CHECKS : []),
  ];
  for (const check of checks) {
    onStart?.(check);
    const { id, title } = check;
    try {
      results.push({ id, title, ...(await check.check(context)) });
    } catch (error) {
      if (!(error instanceof LoadflameError)) throw error;
      const { message: text, hint, code } = error;
      const isForeign = code === 'SCRIPT_FOREIGN';
      if (isForeign && foreign) foreign.title += `, ${title}`;
      else if (results.some(one => one.text === text))
        results.push({ id, title, ...skip(`not checked: ${text}`) });
      else {
        results.push({ id, title, level: 'bad', text, hint });
        if (isForeign) foreign = results.at(-1) ?? null;
      }
    }
  }
  if (foreign && context.hasScript) Object.assign(foreign, skip('for another API'), { hint: '' });
  return context.redactor.redactValue(results);
}
