import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { createRedactor } from '../../lib/base/files/redaction.js';
import {
  createErrorSamples,
  MAX_ERROR_NAME,
  nameError,
} from '../../lib/load/metrics/error-samples.js';
import { createSecondRecorder } from '../../lib/load/metrics/second-recorder.js';
import { createNdjsonWriter } from '../../lib/run/ndjson.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

test('the message of an error is redacted before it is cut: in counters and in samples', t => {
  const secret = 'sesame-open';
  const redactor = createRedactor([secret]);
  const code = nameError(
    new Error(`${'x'.repeat(MAX_ERROR_NAME - 6)}${secret} ${'y'.repeat(500)}`),
  );
  /** @type {Record<string, any>[]} */
  const seconds = [];
  const recorder = createSecondRecorder(record => seconds.push(record), {
    redact: redactor.redactText,
  });
  recorder.count(`errors.${code}`, 1);
  recorder.flush({ all: true });
  const file = path.join(makeTempFolder(t), 'errors.ndjson');
  createErrorSamples(createNdjsonWriter(file), redactor).add({ endpoint: 'GET /', code });
  const [name = ''] = Object.keys(seconds[0]?.counters);
  const sample = JSON.parse(readFileSync(file, 'utf8'));
  assert.equal(name, `errors.${sample.code}`);
  assert.equal(sample.code, `${'x'.repeat(MAX_ERROR_NAME - 6)}[redac`);
});
