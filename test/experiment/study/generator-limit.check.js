/** A target that is faster than the load generator, really: no capacity may be reported. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { needs } from '../../helpers/needs.js';
import { test } from '../../helpers/quiet.js';
import { makeScene } from '../../helpers/scene.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

const SERVERS = path.join(import.meta.dirname, 'services', 'servers.yaml');

test('of a study that the generator limits it is said, and a capacity is refused', {
  skip: needs('nginx'),
}, async t => {
  const scene = makeScene(t, {});
  const file = path.join(makeTempFolder(t), 'fast.yaml');
  const { nginx } = parse(readFileSync(SERVERS, 'utf8'));
  const study = {
    title: 'A target that is faster than the generator',
    services: {
      nginx: { ...nginx, command: `cd ${import.meta.dirname}/services\n${nginx.command}` },
    },
    target: { url: 'http://127.0.0.1:{{ $env.STUDY_PORT_NGINX }}' },
    // A round of one request would measure how fast users begin.
    scenario: { scenarios: [{ flow: [{ loop: [{ get: { url: '/' } }], count: 100 }] }] },
    // On a core of its own: with a worker per core, the machine would be nearly full, and neither of them the limit.
    load: { model: 'closed', steps: [64], cpus: '0' },
    warmUp: '1s',
    duration: '4s',
    repeats: 1,
    record: { processes: { nginx: { service: 'nginx', cores: 1 } } },
    objective: { rate: 100, p95: '10s' },
  };
  // JSON is YAML.
  writeFileSync(file, JSON.stringify(study));
  const run = scene.start(['study', 'run', file, '--profiles', scene.root]);
  const exit = await run.ended;
  const [folder] = scene.listRuns();
  /** @type {import('../../../lib/run/facts/study-report.d.ts').StudyReport} */
  const report = JSON.parse(
    readFileSync(path.join(scene.root, String(folder), 'study.json'), 'utf8'),
  );
  const isCrowded = report.findings.some(({ id }) => id === 'background-load');
  if (isCrowded) return t.skip('other processes took the CPU of this machine');
  assert.equal(exit, 6, run.output());
  const [variant] = report.variants;
  assert.equal(variant?.bottleneck.id, 'generator', JSON.stringify(variant?.bottleneck.facts));
  assert.equal(variant?.saturation.throughputPerSec, null);
  assert.equal(report.capacity?.state, 'refused');
  assert.equal(report.capacity?.variants[0]?.capacityPerSec, null);
  assert.equal(report.verdict.level, 'invalid');
  assert.equal(report.verdict.headline.id, 'generator-limit');
});
