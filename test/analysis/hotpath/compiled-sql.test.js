/** Stacks in which SQLAlchemy itself compiles SQL: what is executed, and what an app only reads. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import { loadRules } from '../../../lib/analysis/hotpath/load-rules.js';
import { analyseProfile } from '../../../lib/analysis/profile/analyse-profile.js';
import { findPython } from '../../../research/shares/start-server.js';
import { needsModules } from '../../helpers/needs.js';
import { parseRaw } from '../../helpers/parse-raw.js';

const SCRIPT = path.join(import.meta.dirname, 'fixtures', 'compiled_sql.py');
const skip = needsModules('sqlalchemy');
const rules = await loadRules();

/** @param {string} app */
function listCauses(app) {
  const python = findPython(['sqlalchemy']);
  const stacks = execFileSync(python, ['-W', 'ignore', SCRIPT, app], { encoding: 'utf8' });
  const { causes } = analyseProfile({ profile: parseRaw(stacks), rules });
  return {
    compiled: stacks.trim().split('\n').length,
    causes: causes.map(({ id, share }) => [id, share.value]),
  };
}

test('a statement without a cache key is compiled again', { skip }, () => {
  assert.deepEqual(listCauses('misses'), { compiled: 1, causes: [['statement-compilation', 1]] });
});

test('SQL that an app or its hook compiles to read it misses no cache', { skip }, () => {
  assert.deepEqual(listCauses('reads'), { compiled: 4, causes: [['statement-text', 1]] });
});
