/** What is missing on a machine is named, with the package to install; exit code 3. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { FAKE_NPM, FAKE_PYTHON, makeCloneCopy } from '../helpers/clone-copy.js';

/** Python whose pip fails with these lines. @param {string} lines */
const pythonWithFailingPip = lines =>
  `case "$2" in pip) cat >&2 <<'END'\n${lines}\nEND\nexit 1 ;; esac\n${FAKE_PYTHON}`;

/** What Debian's Python says without python3-venv. */
const NO_ENSUREPIP = `case "$2" in venv) cat <<'END'
The virtual environment was not created successfully because ensurepip is not
available.  On Debian/Ubuntu systems, you need to install the python3-venv
package using the following command.

    apt install python3.12-venv

You may need to use sudo with that command.
END
exit 1 ;; esac
${FAKE_PYTHON}`;

const NO_COMPILER = `  error: subprocess-exited-with-error
      building 'greenlet._greenlet' extension
      error: command 'x86_64-linux-gnu-gcc' failed: No such file or directory
  ERROR: Failed building wheel for greenlet
ERROR: Failed to build installable wheels for some pyproject.toml based projects (greenlet)`;

/** @type {[string, Record<string, string>, RegExp, RegExp][]} */
const CASES = [
  [
    'no Python at all',
    { npm: FAKE_NPM },
    /^error: there is no Python: python3 and python can not be run$/m,
    /apt-get install python3 python3-venv/,
  ],
  [
    'a Python that is too old',
    { npm: FAKE_NPM, python3: 'echo 3.8' },
    /^error: python3 is 3\.8, and 3\.10 or newer is needed$/m,
    /apt-get install python3 /,
  ],
  [
    'a Python without venv',
    { npm: FAKE_NPM, python3: NO_ENSUREPIP },
    /^error: Python's venv module does not work: ensurepip is not available$/m,
    /apt-get install python3\.12-venv/,
  ],
  [
    'no compiler for a package without a wheel',
    { npm: FAKE_NPM, python3: pythonWithFailingPip(NO_COMPILER) },
    /^error: pip could not install the Python packages: .*gcc' failed/m,
    /apt-get install build-essential python3-dev/,
  ],
  [
    'an index that can not be reached',
    { npm: FAKE_NPM, python3: pythonWithFailingPip('ERROR: Could not find a version (from none)') },
    /^error: pip could not install the Python packages: Could not find a version/m,
    /the network and the Python index settings/,
  ],
  ['no npm', { python3: FAKE_PYTHON }, /^error: npm can not be run$/m, /apt-get install npm/],
  [
    'an npm registry that can not be reached',
    {
      npm: 'echo "npm error code ENOTFOUND" >&2; echo "npm error network request failed" >&2; exit 1',
      python3: FAKE_PYTHON,
    },
    /^error: npm ci failed: ENOTFOUND \/ network request failed$/m,
    /npm config get registry/,
  ],
];

for (const [title, programs, message, hint] of CASES) {
  test(`${title}: an error that names what to install`, async t => {
    const { start } = makeCloneCopy(t, programs);
    const { exit, stderr, stdout } = await start(['program-that-is-not-run.js']).ended;
    assert.equal(exit, 3, stderr);
    assert.match(stderr, message);
    assert.match(/^hint: {2}(.*)$/m.exec(stderr)?.[1] ?? '', hint);
    assert.equal(stdout, '');
  });
}

test('an older Python is passed over where a newer one is beside it', async t => {
  const { start } = makeCloneCopy(t, {
    npm: FAKE_NPM,
    python3: 'echo 3.9',
    'python3.12': FAKE_PYTHON,
  });
  const { exit, stderr } = await start().ended;
  assert.equal(exit, 0, stderr);
});

test('all that a failed program said is in a log', async t => {
  const lines = 'a first line that nobody prints\nERROR: a reason';
  const programs = { npm: FAKE_NPM, python3: pythonWithFailingPip(lines) };
  const { folder, start } = makeCloneCopy(t, programs);
  const { stderr } = await start().ended;
  assert.match(stderr, /\.tools\/setup\.log has all that pip said/);
  assert.match(readFileSync(path.join(folder, '.tools/setup.log'), 'utf8'), /nobody prints/);
});
