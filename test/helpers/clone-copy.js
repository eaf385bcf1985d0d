/** A folder like a fresh clone, as far as the set-up is concerned, with programs of the test's own. */
import { spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { makeTempFolder } from './temp-folder.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const LOCK = 'package-lock.json';
const FILES = [
  'scripts',
  'package.json',
  LOCK,
  'demo/package.json',
  'demo/package-lock.json',
  'demo/api/requirements.txt',
];

/** What the set-up and the fake programs call; nothing else is on the PATH. */
const TOOLS = ['sh', 'mkdir', 'touch', 'sleep', 'cat', 'chmod', 'cp', 'rm'];

const NODE_PACKAGE = `node-${process.platform}-${process.arch}`;

/** Does what npm leaves behind, and writes down that it was called. */
export const FAKE_NPM = `echo "npm $*" >> calls
case "$1" in
  ci)
    rm -rf "$3/node_modules"; mkdir -p "$3/node_modules/.bin"
    case "$*" in
      */.tools/node*)
        mkdir -p "$3/node_modules/${NODE_PACKAGE}/bin"
        cp fake-bin/newer-node "$3/node_modules/${NODE_PACKAGE}/bin/node" ;;
      *demo*--omit=dev*) cp "$3/package-lock.json" "$3/node_modules/.package-lock.json" ;;
      *--omit=dev*) cp production-lock.json node_modules/.package-lock.json ;;
      *) cp "$3/package-lock.json" "$3/node_modules/.package-lock.json" ;;
    esac ;;
esac
exit 0`;

/** A Python 3.12 whose environments have a \`python\` that is itself. */
export const FAKE_PYTHON = `echo "python $*" >> calls
case "$2" in
  import*) echo 3.12 ;;
  venv) rm -rf "$4"; mkdir -p "$4/bin"; cp "$0" "$4/bin/python" ;;
esac`;

/**
 * @param {import('node:test').TestContext} t
 * @param {Record<string, string>} programs name → text of a shell script, the only ones on the PATH
 */
export function makeCloneCopy(t, programs) {
  const folder = path.join(makeTempFolder(t), 'a clone');
  for (const file of FILES)
    cpSync(path.join(ROOT, file), path.join(folder, file), { recursive: true });
  writeFileSync(path.join(folder, 'production-lock.json'), omitDev(path.join(folder, LOCK)));
  const bin = path.join(folder, 'fake-bin');
  mkdirSync(bin);
  for (const tool of TOOLS) symlinkSync(findTool(tool), path.join(bin, tool));
  /** @param {string} name @param {string} text */
  const addProgram = (name, text) => {
    writeFileSync(path.join(bin, name), `#!/bin/sh\n${text}\n`);
    chmodSync(path.join(bin, name), 0o755);
  };
  const newerNode = 'echo "the newer Node runs $*"';
  for (const [name, text] of Object.entries({ 'newer-node': newerNode, ...programs })) {
    addProgram(name, text);
  }

  /**
   * Starts the set-up.
   * @param {string[]} [args] of `scripts/run.js`
   * @param {{nodeVersion?: string}} [options] what Node says that its version is
   */
  const start = (args = [], { nodeVersion = process.versions.node } = {}) => {
    const preload = `Object.defineProperty(process,'versions',{value:{...process.versions,node:'${nodeVersion}'}})`;
    const node = ['--import', `data:text/javascript,${preload}`];
    const child = spawn(process.execPath, [...node, 'scripts/run.js', ...args], {
      cwd: folder,
      env: { PATH: bin, HOME: folder },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const output = { stdout: '', stderr: '' };
    for (const name of /** @type {const} */ (['stdout', 'stderr'])) {
      child[name].setEncoding('utf8').on('data', text => {
        output[name] += text;
      });
    }
    /** @type {Promise<typeof output & {exit: number | null}>} */
    const ended = new Promise(resolve => {
      child.on('close', exit => resolve({ ...output, exit }));
    });
    t.after(() => child.kill('SIGKILL'));
    return { child, output, ended };
  };
  return { folder, addProgram, start };
}

/** What npm leaves of a lock file in node_modules. @param {string} file */
function omitDev(file) {
  const { packages } = JSON.parse(readFileSync(file, 'utf8'));
  const own = Object.entries(packages).filter(([, { dev }]) => !dev);
  return JSON.stringify({ packages: Object.fromEntries(own) });
}

/** @param {string} name */
function findTool(name) {
  return (
    ['/usr/bin', '/bin'].map(folder => path.join(folder, name)).find(file => existsSync(file)) ??
    name
  );
}
