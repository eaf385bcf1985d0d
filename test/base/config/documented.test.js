import assert from 'node:assert/strict';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { SETTINGS } from '../../../lib/base/config/settings.js';
import { readScenarioBlock } from '../../../lib/experiment/preflight/scenario-block.js';
import { listSettings } from '../../../scripts/write-settings-doc.js';

const ROOT = new URL('../../..', import.meta.url);
const SCENARIOS = path.resolve(import.meta.dirname, '../../../scenarios');

const names = SETTINGS.map(({ name }) => name);

test('envs.example.sh offers every setting, the variables of our scenarios, and nothing else', () => {
  const text = readFileSync(new URL('envs.example.sh', ROOT), 'utf8');
  const offered = [...text.matchAll(/^# ([A-Z_]+)=/gm)].map(match => match[1]);
  const scripts = readdirSync(SCENARIOS).filter(name => name.endsWith('.yaml'));
  const declared = scripts.flatMap(name =>
    readScenarioBlock(path.join(SCENARIOS, name)).variables.map(variable => variable.name),
  );
  assert.deepEqual(offered.toSorted(), [...new Set([...names, ...declared])].toSorted());
});

test('docs/settings.md has every setting as the table of settings says it', () => {
  const text = readFileSync(new URL('docs/settings.md', ROOT), 'utf8');
  assert.ok(text.includes(listSettings()), 'run scripts/write-settings-doc.js');
});

test('nothing in lib/ knows the API of the demo or its scenarios', () => {
  const known = /OFFICE_ID|SERVICE_ID|\/api\/v1\/offices|oidc-jwt|\bcsr-|\bCSR\b/;
  const files = globSync('lib/**/*.{js,ts,json,yaml,css}', { cwd: ROOT });
  assert.ok(files.length > 300);
  const found = files.filter(file => known.test(readFileSync(new URL(file, ROOT), 'utf8')));
  assert.deepEqual(found, []);
});
