/** The checks behind `doctor`, in the order in which they make sense to a person. */
import { accessSync, constants, existsSync } from 'node:fs';
import { readAuthConfig } from '../auth/auth-config.js';
import { createTokenSource } from '../auth/token-source.js';
import { readGunicornPlace } from '../config/gunicorn-place.js';
import { checkLogs } from '../record/logs/recorder.js';
import { findPySpy } from '../record/profiler/find-py-spy.js';
import { probePrivileges } from '../record/profiler/privileges.js';
import { describeVersions } from '../run/host.js';
import { RUNS_FOLDER } from '../run/run-folder.js';
import { findGunicorn } from '../target/find-gunicorn.js';
import { isLocalTarget } from '../target/local-target.js';
import { companion } from './check-companion.js';
import { checkIds } from './check-ids.js';
import { get } from './get-json.js';

/** @typedef {import('./run-checks.js').Check} Check */

/** @param {string} text @returns {import('./run-checks.js').CheckResult} */
const ok = text => ({ level: 'ok', text });
/** @param {string} text @param {string} [hint] @returns {import('./run-checks.js').CheckResult} */
const skip = (text, hint) => ({ level: 'skip', text, ...(hint && { hint }) });

const NOT_LOCAL =
  'the target is not on this machine, so py-spy can not see it; load tests work. To profile there, run py-spy beside gunicorn and give its file to `loadflame report`';

/** @type {Check} */
const programs = {
  id: 'programs',
  title: 'programs',
  check: () => {
    const { node, artillery } = describeVersions();
    return ok(`Node ${node}, Artillery ${artillery}`);
  },
};

/** @type {Check} */
const runsFolder = {
  id: 'runs-folder',
  title: 'place for runs',
  check: () => {
    const place = existsSync(RUNS_FOLDER) ? RUNS_FOLDER : '.';
    try {
      accessSync(place, constants.W_OK);
      return ok(`${RUNS_FOLDER}/ can be written`);
    } catch {
      return { level: 'bad', text: `${place} can not be written`, hint: `chmod u+w ${place}` };
    }
  },
};

/** @type {Check} */
const targetAnswers = {
  id: 'target',
  title: 'target',
  check: async ({ config }) => {
    const target = config.require('TARGET');
    const { status } = await get(target);
    if (status < 500) return ok(`${target} answers (status ${status})`);
    return {
      level: 'warn',
      text: `${target} answers with status ${status}`,
      hint: "look into the API's log",
    };
  },
};

/** @type {Check} */
const login = {
  id: 'login',
  title: 'login',
  check: async context => {
    const auth = readAuthConfig(context.config);
    if (!auth) return skip('no OIDC_ISSUER is set: requests go without a token');
    const source = createTokenSource({ ...auth, users: auth.users.slice(0, 1) });
    try {
      await source.start();
      context.token = source.tokens()[0] ?? null;
      const who = auth.users[0]?.username ?? auth.clientId;
      return ok(`${auth.issuer} gave a token to ${who} (${auth.flow})`);
    } finally {
      await source.stop();
    }
  },
};

/** @type {Check} */
const idsExist = {
  id: 'ids',
  title: 'ids',
  check: async ({ config, token }) => {
    const target = config.require('TARGET');
    if (!token && config.get('OIDC_ISSUER')) return skip('not checked: there is no token');
    const wanted = { officeId: config.get('OFFICE_ID'), serviceId: config.get('SERVICE_ID') };
    const { checked, text } = await checkIds({ target, token, ...wanted });
    return checked ? ok(text) : skip(text);
  },
};

/** @type {Check} */
const pySpy = {
  id: 'py-spy',
  title: 'py-spy',
  check: async ({ config }) => {
    const { path, version } = await findPySpy(config.get('PYSPY'));
    return ok(`${version} (${path})`);
  },
};

/** @type {Check} */
const gunicorn = {
  id: 'gunicorn',
  title: 'gunicorn',
  check: async context => {
    const { config } = context;
    const target = config.get('TARGET');
    if (target && !(await isLocalTarget(target)) && !config.isSet('GUNICORN_PID'))
      return skip(NOT_LOCAL);
    const found = await findGunicorn(readGunicornPlace(config));
    context.masterPid = found.masterPid;
    return ok(`master ${found.masterPid} with ${found.workers.length} workers (${found.how})`);
  },
};

/** @type {Check} */
const permission = {
  id: 'permission',
  title: 'permission to profile',
  check: async ({ config, masterPid }) => {
    if (masterPid === null) return skip('not checked: there is no gunicorn to look into');
    const { sudo, mode } = await probePrivileges({
      pySpy: await findPySpy(config.get('PYSPY')),
      pid: masterPid,
    });
    const how = sudo ? 'with sudo (only py-spy runs under it)' : 'without sudo';
    return ok(
      `py-spy may look into gunicorn ${how}${mode === 'nonblocking' ? ', without pausing it' : ''}`,
    );
  },
};

/** @type {Check} */
const logs = {
  id: 'logs',
  title: "the API's logs",
  check: ({ config }) => {
    const files = config.get('LOG_FILES');
    const command = config.get('LOG_COMMAND');
    if (!files && !command) {
      const hint = 'with LOG_FILES or LOG_COMMAND a report says what the log said when errors came';
      return skip('no LOG_FILES and no LOG_COMMAND', hint);
    }
    checkLogs({ files, command });
    return ok(
      [files && 'LOG_FILES can be read', command && 'LOG_COMMAND is a command']
        .filter(Boolean)
        .join(', '),
    );
  },
};

/** @type {readonly Check[]} */
export const CHECKS = [
  programs,
  runsFolder,
  targetAnswers,
  login,
  idsExist,
  pySpy,
  gunicorn,
  permission,
  companion,
  logs,
];
