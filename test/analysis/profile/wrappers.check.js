import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { sum } from '../../../lib/base/math/summary.js';
import { startAsgi } from '../../helpers/asgi.js';
import { needsModules } from '../../helpers/needs.js';
import { test } from '../../helpers/quiet.js';
import { runLoadflame } from '../../helpers/run-loadflame.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

/** Of the CPU of all parts; each has at least a tenth of it. A busy machine samples few requests. */
const MOST_OFF = 0.09;
const PARTS = ['Timing', 'Tenant', 'label', 'Plain'];

const CASES = [
  {
    title: 'plain middleware and three BaseHTTPMiddlewares, which start tasks',
    server: { app: 'wrappers_asgi:app' },
    modules: ['uvicorn', 'fastapi'],
  },
  {
    title: 'Django middleware of each kind and a WSGI wrapper',
    server: { server: 'gunicorn', app: 'wrappers_django:app', modules: ['django'] },
    modules: ['gunicorn', 'django'],
  },
];

for (const { title, server, modules } of CASES)
  test(`the CPU of ${title} is what the clocks of their threads counted`, {
    skip: needsModules(...modules),
  }, async t => {
    const folder = makeTempFolder(t);
    const { url, pid } = await startAsgi(t, { ...server, env: {} });
    await fetch(`${url}/work`);
    const args = ['test', `${url}/work`, '--profile', '--pid', `${pid}`];
    const load = ['--users', '2', '--duration', '15s'];
    const before = await readSpent(url);
    const { exit, stderr } = await runLoadflame(folder, [...args, ...load]);
    assert.ok([0, 6].includes(exit ?? -1), stderr);
    const after = await readSpent(url);
    const [run = ''] = readdirSync(path.join(folder, 'profiles'));
    /** @type {import('../../../lib/run/facts/report.d.ts').Report} */
    const { profile } = JSON.parse(
      readFileSync(path.join(folder, 'profiles', run, 'report.json'), 'utf8'),
    );
    const own = PARTS.map(part => {
      const share = profile?.wrappers?.find(({ name }) => name.split('.')[0] === part)?.share;
      return { part, share, spentMs: (after[part] ?? 0) - (before[part] ?? 0) };
    });
    // of these four parts together: on a busy machine, a request has no cost
    const shares = sum(own.map(({ share }) => share?.value ?? 0));
    const allMs = sum(own.map(({ spentMs }) => spentMs));
    for (const { part, share, spentMs } of own) {
      const [said, counted] = [(share?.value ?? 0) / shares, spentMs / allMs];
      t.diagnostic(`${part}: ${said.toFixed(3)}, by its clock ${counted.toFixed(3)}`);
      assert.ok(Math.abs(said - counted) < MOST_OFF, `${part}: ${said}, counted ${counted}`);
    }
  });

/** @param {string} url @returns {Promise<Record<string, number>>} */
async function readSpent(url) {
  return /** @type {any} */ (await (await fetch(`${url}/spent`)).json());
}
