/** A whole load whose targets a cluster tells: only the cluster's API is the test's own. */
import assert from 'node:assert/strict';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { serve } from '../helpers/listen.js';
import { runLoadflame } from '../helpers/run-loadflame.js';
import { makeTempFolder } from '../helpers/temp-folder.js';
import { serve as serveApi, writeKubeconfig } from '../record/cluster/fake-api.js';

test('users take the found targets in turn, each endpoint is one row, and the run says which', async t => {
  const folder = makeTempFolder(t);
  /** @type {string[][]} */
  const seen = [[], []];
  const targets = await Promise.all(
    seen.map(own =>
      serve(t, ({ url = '' }, response) => {
        own.push(url);
        response.end('{}');
      }),
    ),
  );
  const items = targets.map((target, index) => ({
    metadata: { name: `api-${index}`, namespace: 'shop' },
    spec: { clusterIP: '127.0.0.1', ports: [{ port: Number(new URL(target).port) }] },
  }));
  const headless = { metadata: { name: 'db' }, spec: { clusterIP: 'None' } };
  const api = await serveApi(t, () => [200, JSON.stringify({ items: [...items, headless] })]);
  writeFileSync(path.join(folder, 'load.yaml'), LOAD);
  const env = { KUBECONFIG: writeKubeconfig(folder, api), APP: 'shop' };
  const { exit, stderr } = await runLoadflame(folder, ['test', 'load.yaml'], env);
  assert.equal(exit, 0, stderr);
  const what = 'services with app=shop in the namespace shop';
  assert.ok(
    stderr.includes(`targets: ${targets.join(', ')} (${what}); left out: services/db (`),
    stderr,
  );
  const [report = ''] = globSync('profiles/*/report.json', { cwd: folder });
  const { run, load } = JSON.parse(readFileSync(path.join(folder, report), 'utf8'));
  assert.equal(run.target, targets[0]);
  const why = 'it has no address of its own (headless)';
  assert.deepEqual(run.targets, {
    ...{ what, addresses: targets, left: [{ name: 'services/db', why }] },
    text: `${targets.join(', ')} (${what}); left out: services/db (${why})`,
  });
  assert.deepEqual(
    load.endpoints.map((/** @type {any} */ { name, requests }) => [name, requests]),
    [
      ['GET /items', 10],
      ['GET /items/:id', 10],
    ],
  );
  const count = (/** @type {number} */ index) =>
    seen[index]?.filter(url => url === '/items/7').length;
  assert.deepEqual([count(0), count(1)], [5, 5]);
});

const LOAD = `
config:
  loadflame:
    variables: { APP: {} }
    targets: { services: { selector: "app={{ $env.APP }}" } }
  phases: [{ duration: 1, arrivalCount: 10 }]
scenarios:
  - flow:
      - get: { url: /items }
      - get: { url: "{{ target }}/items/7" }
`;
