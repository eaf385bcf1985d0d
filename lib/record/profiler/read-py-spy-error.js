/** Translates py-spy's error messages into our errors: the one place that reads them. */
import { LoadflameError } from '../../base/errors.js';
import { readText } from '../../base/process/process-table.js';

/**
 * Messages of py-spy 0.4, the most specific first. With `--subprocesses` every failure reads the same
 * ("No python processes found"), so run it without.
 * @type {readonly {code: string, test: RegExp}[]}
 */
const COMPLAINTS = [
  {
    code: 'PYSPY_NO_PROCESS',
    test: /executable name[\s\S]*os error 2\b|No such process|os error 3\b/,
  },
  { code: 'PYSPY_PTRACE_BLOCKED', test: /Failed to suspend process[\s\S]*(EPERM|os error 1\b)/ },
  {
    code: 'PYSPY_PERMISSION',
    test: /Permission denied|requires root|os error 13\b|Operation not permitted|a (terminal|password) is required|not allowed to execute|incorrect password/i,
  },
  { code: 'PYSPY_NOT_PYTHON', test: /Failed to find python version|No python processes found/ },
];

/**
 * @param {string} stderr of py-spy, or of the sudo in front of it
 * @param {number} pid of the process that it should read
 * @param {typeof explainPermission} [explain]
 * @returns {LoadflameError} PYSPY_NO_PROCESS, PYSPY_PTRACE_BLOCKED, PYSPY_PERMISSION,
 *   PYSPY_NOT_PYTHON, or PYSPY_FAILED with the tail of its output
 */
export function readPySpyError(stderr, pid, explain = explainPermission) {
  const code = COMPLAINTS.find(({ test }) => test.test(stderr))?.code ?? 'PYSPY_FAILED';
  const tail = stderr.trim().split('\n').slice(-3).join(' | ').slice(-400) || 'no output';
  if (code !== 'PYSPY_PERMISSION') return new LoadflameError(code, { pid, tail });
  const { why, hint } = explain(pid);
  return new LoadflameError(code, { pid, why, tail }, hint ? { hint } : {});
}

/**
 * Why the kernel refused, and the remedy for that case.
 * @param {number} pid
 * @returns {{why: string, hint?: string}}
 */
function explainPermission(pid) {
  if (process.platform === 'darwin') {
    return { why: 'macOS lets only root do that', hint: 'allow it with sudo: run `sudo -v` first' };
  }
  const own = { uid: process.getuid?.(), gid: process.getgid?.() };
  const status = readText(`/proc/${pid}/status`);
  const target = status && parseOwner(status);
  if (target && own.uid !== 0 && own.uid !== target.uid) {
    return { why: `it belongs to user ${target.uid}, loadflame runs as user ${own.uid}` };
  }
  if (target && own.uid !== 0 && own.gid !== target.gid) {
    return { why: `its group is ${target.gid}, that of loadflame is ${own.gid}` };
  }
  if (own.uid === 0) {
    return {
      why: 'even root may not: the capability SYS_PTRACE is missing here',
      hint: 'in a container, add it (docker run --cap-add SYS_PTRACE), or run as the user of that process',
    };
  }
  if (/^[1-9]/.test(readText('/proc/sys/kernel/yama/ptrace_scope') ?? '')) {
    return {
      why: 'kernel.yama.ptrace_scope forbids it',
      hint: 'run on a terminal, where sudo can ask for your password, or see docs/no-sudo.md',
    };
  }
  return { why: 'the kernel forbids it' };
}

/** Effective owner. @param {string} status the content of `/proc/<pid>/status` */
export function parseOwner(status) {
  const id = (/** @type {string} */ name) =>
    Number(new RegExp(`^${name}:\\s+\\d+\\s+(\\d+)`, 'm').exec(status)?.[1] ?? Number.NaN);
  return { uid: id('Uid'), gid: id('Gid') };
}
