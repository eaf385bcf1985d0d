import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { writeHarScript } from '../../../lib/cli/write-traffic.js';
import { readAccessLogs } from '../../../lib/load/traffic/read-access-log.js';
import { readHar } from '../../../lib/load/traffic/read-har.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

test('unreadable files, other files, and files without a usable request have their own errors', async t => {
  const folder = makeTempFolder(t);
  const place = (/** @type {string} */ name, /** @type {string} */ text) => {
    writeFileSync(path.join(folder, name), text);
    return path.join(folder, name);
  };
  const readLog = (/** @type {string} */ file) =>
    readAccessLogs(
      [file],
      () => {},
      () => {},
    );
  await assert.rejects(readLog(path.join(folder, 'missing.log')), { code: 'TRAFFIC_UNREADABLE' });
  await assert.rejects(readLog(place('mail.log', 'Subject: hello\n')), { code: 'TRAFFIC_NO_LOG' });
  assert.throws(() => readHar(place('other.har', '{"log":{"entries":[1]}}')), {
    code: 'TRAFFIC_NO_HAR',
  });
  for (const [text, problem] of /** @type {[string, RegExp][]} */ ([
    ['{"log":{"entries":[]}}', /has no entry in/],
    ['{"log":{}}', /has no list/],
    ['{"info":{"_postman_id":"x"},"item":[]}', /looks like an export of Postman/],
    ['{"_type":"export","__export_format":4,"resources":[]}', /or Insomnia/],
    ['{"metrics":{"http_req_duration":{}}}', /looks like k6's summary/],
    ["import http from 'k6/http';\n", /looks like a script of k6/],
  ]))
    assert.throws(() => readHar(place('other.har', text)), { message: problem });
  const picture = {
    startedDateTime: '2026-11-20T14:00:00.000Z',
    time: 10,
    request: { method: 'GET', url: 'http://127.0.0.1:8000/logo.png', headers: [] },
    response: { status: 200, headers: [], content: { mimeType: 'image/png', text: '' } },
  };
  const pictures = place('pictures.har', JSON.stringify({ log: { entries: [picture] } }));
  assert.throws(() => writeHarScript(pictures, 'unused.yaml'), { code: 'TRAFFIC_NOTHING' });
});
