/** `npm run test:slow servers`: --same-work, from the load to the report. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { startGunicorn } from '../helpers/gunicorn.js';
import { test } from '../helpers/quiet.js';
import { runLoadflame } from '../helpers/run-loadflame.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

const COMPANION = path.resolve(import.meta.dirname, '../../companion/loadflame_companion.py');

/** @param {import('node:test').TestContext} t @param {Record<string, string>} env of the server */
async function measure(t, env) {
  const args = ['-k', 'gthread', '--threads', '2', '-c', COMPANION];
  const app = 'same_work_app:app';
  const server = await startGunicorn(t, { workers: 1, args, env, app });
  const folder = makeTempFolder(t);
  const scenarios = ['/parse', '/square'].map(url => ({ flow: [{ get: { url } }] }));
  const config = { target: server.url, phases: [{ duration: 4, users: 2 }] };
  writeFileSync(path.join(folder, 'script.json'), JSON.stringify({ config, scenarios }));
  const own = ['test', 'script.json', '--profile', '--pid', `${server.masterPid}`, '--same-work'];
  const { stderr } = await runLoadflame(folder, own);
  const [run = ''] = readdirSync(path.join(folder, 'profiles'));
  const file = path.join(folder, 'profiles', run, 'report.json');
  return { stderr, report: JSON.parse(readFileSync(file, 'utf8')) };
}

test('names the function that does the same work in each request, and no other', async t => {
  const { stderr, report } = await measure(t, { LOADFLAME: '1', PYTHONDONTWRITEBYTECODE: '1' });
  const found = report.findings.filter((/** @type {any} */ { id }) => id === 'same-work');
  assert.equal(found.length, 1, stderr);
  const { lines, requests } = found[0].facts;
  assert.deepEqual(
    lines.map((/** @type {any} */ own) => [own.function, own.caller, own.kinds, own.unseen]),
    [['parse', { file: 'same_work_app.py', line: 18 }, 1, 0]],
  );
  // Both scenarios take their turn.
  assert.equal(lines[0].same, lines[0].calls - 1);
  assert.ok(Math.abs(lines[0].calls - requests / 2) <= 1, `${lines[0].calls} of ${requests}`);
  assert.match(
    found[0].text.title,
    /^`parse` takes \d.* at same_work_app\.py:18 .* \(1 different\) and returned the same\.$/,
  );
});

test('says why nothing was compared', async t => {
  const { stderr, report } = await measure(t, { PYTHONDONTWRITEBYTECODE: '1' });
  assert.match(stderr, /--same-work failed: no response has a report of the companion on it/);
  assert.equal(report.profile.sameWork, undefined);
});
