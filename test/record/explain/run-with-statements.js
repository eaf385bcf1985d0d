/** A run folder with calls of these statements, the first with most time. */

import { Sketch } from '../../../lib/base/math/sketch.js';
import { explainSql } from '../../../lib/record/explain/explain-sql.js';
import { createNdjsonWriter, readNdjson } from '../../../lib/run/ndjson.js';
import { createRunFolder } from '../../../lib/run/run-folder.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

/** @import { TestContext } from 'node:test' */
/** @import { Asked } from '../../../lib/record/explain/explain-sql.js' */

/**
 * Explains statements that a header holds, and the user's own.
 * @param {TestContext} t @param {string} url @param {string[]} texts @param {Asked[]} [own]
 */
export async function explainTexts(t, url, texts, own = []) {
  const files = createRunFolder(makeTempFolder(t), 'explain');
  const out = createNdjsonWriter(files.loadCalls);
  const system = url.startsWith('sqlite') ? 'sqlite' : 'postgresql';
  for (const [at, text] of texts.entries()) {
    const place = { file: 'app.py', line: at + 1, function: 'view', relation: null };
    out.append('call-named', { id: `0000000${at}`, call: { kind: 'sql', system, text, ...place } });
  }
  const none = { count: 0, us: 0 };
  out.append('calls', {
    ...{ fromMs: Date.now(), endpoint: 'GET /', worker: '1.2', responses: 1, perRequest: [] },
    ...{ databaseMs: new Sketch().toJson(), pool: none, more: none },
    calls: texts.map((_, at) => [`0000000${at}`, 1, 1, 9000 - at * 100, null, 0, 1, []]),
  });
  await explainSql({ files, url, own, signal: AbortSignal.timeout(120_000) });
  return { files, plans: (await readNdjson(files.plans)).records };
}
