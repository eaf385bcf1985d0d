/** Recognises Python servers and workers of task queues by their command lines. */
import path from 'node:path';

/**
 * @typedef {object} ServerKind
 * @property {string} kind
 * @property {readonly string[]} programs scripts or modules that start it; prefixes of its process title
 * @property {string} [command] subcommand that makes the program a server
 * @property {boolean} [isForDevelopment]
 * @property {boolean} [runsTasks] runs tasks of a queue and serves no requests
 */

const DJANGO = ['manage.py', 'django', 'django-admin'];

/** @type {readonly ServerKind[]} */
const KINDS = [
  { kind: 'gunicorn', programs: ['gunicorn'] },
  { kind: 'uvicorn', programs: ['uvicorn'] },
  { kind: 'uvicorn', programs: ['fastapi'], command: 'run' },
  { kind: 'uvicorn', programs: ['fastapi'], command: 'dev', isForDevelopment: true },
  { kind: 'hypercorn', programs: ['hypercorn'] },
  { kind: 'granian', programs: ['granian'] },
  { kind: 'waitress', programs: ['waitress', 'waitress-serve'] },
  { kind: 'flask', programs: ['flask'], command: 'run', isForDevelopment: true },
  { kind: 'django', programs: DJANGO, command: 'runserver', isForDevelopment: true },
  { kind: 'celery', programs: ['celery', ...DJANGO], command: 'worker', runsTasks: true },
  { kind: 'celery', programs: ['[celeryd:'], runsTasks: true },
  { kind: 'rq', programs: ['rq'], command: 'worker', runsTasks: true },
  { kind: 'rq', programs: ['rq'], command: 'worker-pool', runsTasks: true },
  { kind: 'rq', programs: DJANGO, command: 'rqworker', runsTasks: true },
  { kind: 'rq', programs: DJANGO, command: 'rqworker-pool', runsTasks: true },
  { kind: 'rq', programs: ['rqworker', 'rq:worker:'], runsTasks: true },
  { kind: 'dramatiq', programs: ['dramatiq', 'dramatiq-gevent'], runsTasks: true },
  { kind: 'dramatiq', programs: DJANGO, command: 'rundramatiq', runsTasks: true },
];

/** Task queues whose workers can be found by name. */
export const TASK_QUEUES = [
  ...new Set(KINDS.filter(({ runsTasks }) => runsTasks).map(({ kind }) => kind)),
];

/** Options of the Python interpreter whose value is the next word. */
const PYTHON_OPTIONS_WITH_VALUE = new Set(['-W', '-X', '--check-hash-based-pycs']);

/**
 * Only the *program* counts: not an editor, a shell or a supervisor with the word in an argument.
 * @param {string[]} argv
 * @returns {{kind: string, isForDevelopment: boolean, runsTasks: boolean} | null} null: not recognised
 */
export function findKind(argv) {
  const { name, args } = parseProgram(argv);
  const found = KINDS.find(
    ({ programs, command }) =>
      programs.some(one => name === one || (one.endsWith(':') && argv[0]?.startsWith(one))) &&
      (command === undefined || args.includes(command)),
  );
  if (!found) return null;
  const { kind, isForDevelopment = false, runsTasks = false } = found;
  return { kind, isForDevelopment: isForDevelopment || args.includes('--reload'), runsTasks };
}

/**
 * The program of a command line: the script or module that Python runs, or a process title, as from `setproctitle`
 * (one word: `granian asgi 127.0.0.1:8000 app:app`).
 * @param {string[]} argv
 * @returns {{name: string, args: string[]}} name `''`: Python without a program
 */
export function parseProgram(argv) {
  const [first = '', ...rest] = argv.length === 1 ? (argv[0] ?? '').split(' ') : argv;
  if (!isPythonName(first)) return { name: path.basename(first).replace(/:$/, ''), args: rest };
  for (let i = 0; i < rest.length; i++) {
    const word = rest[i] ?? '';
    if (word === '-c') break;
    if (word === '-m') return { name: rest[i + 1]?.split('.')[0] ?? '', args: rest.slice(i + 2) };
    if (PYTHON_OPTIONS_WITH_VALUE.has(word)) i++;
    else if (!word.startsWith('-')) return { name: path.basename(word), args: rest.slice(i + 1) };
  }
  return { name: '', args: [] };
}

/** The application as given on a command line, `module:callable`. @param {string[]} argv @returns {string | null} */
export function findAppName(argv) {
  const { args } = parseProgram(argv);
  return args.find(word => /^[A-Za-z_][\w./]*:[A-Za-z_][\w.()]*$/.test(word)) ?? null;
}

/**
 * Whether an executable or first word is a Python interpreter.
 * @param {string} file
 */
export const isPythonName = file => /^(python|pypy)[\d.]*(-\S+)?$/.test(path.basename(file));

/** Whether a command line is that of a Python process. @param {string[]} argv */
export function isPythonCommand(argv) {
  return isPythonName(argv[0] ?? '') || findKind(argv) !== null;
}
