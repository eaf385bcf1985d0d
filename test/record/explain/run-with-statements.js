/** A run folder with calls of these statements, the first with most time. */
import { createNdjsonWriter } from '../../../lib/run/ndjson.js';
import { createRunFolder } from '../../../lib/run/run-folder.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

/** @param {import('node:test').TestContext} t @param {string} system @param {string[]} texts */
export function makeRunWithStatements(t, system, texts) {
  const files = createRunFolder(makeTempFolder(t), 'explain');
  const out = createNdjsonWriter(files.loadCalls);
  for (const [at, text] of texts.entries()) {
    const place = { file: 'app.py', line: at + 1, function: 'view', relation: null };
    out.append('call-named', { id: `0000000${at}`, call: { kind: 'sql', system, text, ...place } });
  }
  const calls = texts.map((_, at) => [`0000000${at}`, 1, 1, 9000 - at * 100, null, 0, 1, []]);
  out.append('calls', { fromMs: Date.now(), endpoint: 'GET /', worker: '1.2', calls });
  return files;
}
