import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadRules } from '../../../lib/analysis/hotpath/load-rules.js';
import { analyseProfile } from '../../../lib/analysis/profile/analyse-profile.js';
import { describeOutside, summarizePath } from '../../../lib/text/hot-path.js';
import { parseRaw } from '../../helpers/parse-raw.js';
import { BOOT, REQUEST } from '../request-stacks.js';

const rules = await loadRules();
const IN_REQUEST = `process 10:"gunicorn";thread (1): M;${REQUEST};show (api/views.py:5)`;
const BESIDE = `process 10:"gunicorn";thread (2): T;${BOOT};keep_statistics (api/jobs.py:9)`;

/** @param {Record<string, number>} stacks */
function pathsOf(stacks) {
  const text = Object.entries(stacks).map(([stack, n]) => `${stack} ${n}\n`);
  const profile = { ...parseRaw(text.join('')), rateHz: 50 };
  const cpu = { workersMs: 10_000, requests: 1000 };
  return analyseProfile({ profile, rules, ...cpu }).hotPaths;
}

/** @param {ReturnType<typeof pathsOf>} paths @param {string} name */
const find = (paths, name) => paths.find(({ entry }) => entry.function === name);

test('CPU of a thread that serves no request is no CPU per request', () => {
  const paths = pathsOf({ [IN_REQUEST]: 100, [BESIDE]: 300 });
  const background = find(paths, 'keep_statistics');
  assert.deepEqual([background?.isBackground, background?.cpuMsPerRequest], [true, null]);
  assert.equal(find(paths, 'show')?.isBackground, undefined);
  const said = background && summarizePath(background);
  assert.match(
    `${said}`,
    /in `keep_statistics` \(api\/jobs\.py\), which serves no request, takes /,
  );
  assert.doesNotMatch(`${said}`, /per request/);
  const outside = describeOutside({ categories: [], hotPaths: paths }, 10);
  assert.equal(outside, ', 7.5 ms of it in code that serves no request');
});

test('a few samples outside of requests, or a profile without any request, say nothing of a path', () => {
  const few = pathsOf({ [IN_REQUEST]: 100, [BESIDE]: 15 });
  assert.equal(find(few, 'keep_statistics')?.isBackground, undefined);
  assert.equal(find(pathsOf({ [BESIDE]: 300 }), 'keep_statistics')?.isBackground, undefined);
});
