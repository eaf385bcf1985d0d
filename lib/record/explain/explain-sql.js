/** `--explain-sql`: query plans of the statements that took the most time, from the user's database, after the load. */
import { statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { REDACTED } from '../../files/redaction.js';
import { createNeedles } from '../../files/secret-forms.js';
import { pickVariables } from '../../process/bare-environment.js';
import { readCommandLine } from '../../process/process-table.js';
import { createNdjsonWriter } from '../../run/ndjson.js';

/** @import { RunFiles } from '../../run/run-folder.js' */

const SCRIPT = fileURLToPath(new URL('explain.py', import.meta.url));
/** Five statements of at most five seconds each, plus the overhead of psql. */
const TIMEOUT_MS = 60_000;

/**
 * Writes `load/plans.ndjson`. The database's address appears in no file and on no command line.
 * @param {object} options
 * @param {RunFiles} options.files
 * @param {string} options.url of the database
 * @param {boolean} options.analyze also run statements without parameters
 * @param {number | null} options.pid of the target's server: its Python has the database driver
 * @param {AbortSignal} options.signal
 */
export async function explainSql({ files, url, analyze, pid, signal }) {
  const args = ['-I', '-B', SCRIPT, files.loadCalls, ...(analyze ? ['analyze'] : [])];
  const { stdout, stderr, shortMessage } = await execa(findPython(pid), args, {
    ...{ env: { ...pickVariables(), EXPLAIN_DATABASE_URL: url }, extendEnv: false },
    ...{ stdin: 'ignore', reject: false, timeout: TIMEOUT_MS, cancelSignal: signal },
  });
  // Statements contain no values, and `PRIMARY KEY (id=?)` is no secret: only known secrets are redacted.
  const needles = createNeedles();
  const password = decodeURIComponent(URL.parse(url)?.password ?? '');
  for (const secret of [url, password]) if (secret) needles.add(secret, { forever: true });
  const out = createNdjsonWriter(files.plans);
  const failure = { refused: { why: 'failed', reason: `${stderr || shortMessage}`.slice(-300) } };
  for (const line of (`${stdout}`.trim() || JSON.stringify(failure)).split('\n'))
    out.append('plan', JSON.parse(needles.replace(line, REDACTED)));
}

/** The target's Python, for its packages; not another user's, which root must not run. @param {number | null} pid */
function findPython(pid) {
  const [program = ''] = (pid && readCommandLine(pid)) || [];
  const isOwn = () => statSync(`/proc/${pid}`).uid === process.getuid?.();
  const isPython = path.isAbsolute(program) && /^python[\d.]*t?$/.test(path.basename(program));
  return isPython && isOwn() ? program : 'python3';
}
