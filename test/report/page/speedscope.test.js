import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { openInSpeedscope } from '../../../lib/report/speedscope-page.js';
import { preparePages } from './prepare-pages.js';

const { skip, folder, openFile } = preparePages();

test('speedscope shows the profile’s name and frames, from disk and without the network', {
  skip,
}, async () => {
  const speedscopeFile = path.join(folder, 'profile & "co".speedscope.json');
  writeFileSync(
    speedscopeFile,
    JSON.stringify({
      $schema: 'https://www.speedscope.app/file-format-schema.json',
      name: 'run-of-the-test',
      shared: {
        // a name that the viewer takes for a mangled one of C++ or Rust
        frames: [{ name: 'validate_token_of_test', file: 'api/auth.py' }, { name: '_Retry' }],
      },
      profiles: [
        {
          type: 'sampled',
          name: 'workers-of-test',
          unit: 'none',
          startValue: 0,
          endValue: 3,
          samples: [[0], [1]],
          weights: [2, 1],
        },
      ],
    }),
  );
  const file = path.join(folder, 'run #1 50%', 'speedscope.html');
  const { page, problems, requests } = await openFile(
    openInSpeedscope({ speedscopeFile, page: file }),
  );
  await page.waitForFunction(
    () =>
      document.title.includes('workers-of-test') ||
      document.body.textContent.includes('workers-of-test'),
  );
  // the list of functions is text, the flamegraph is not
  await page.keyboard.press('3');
  await page.waitForFunction(() => document.body.textContent.includes('validate_token_of_test'));
  // its flamegraph is drawn by WebGL, whose driver has remarks of its own without a graphics card
  assert.deepEqual(
    problems.filter(text => !text.includes('GL')),
    [],
  );
  assert.deepEqual(requests, []);
  await page.close();
});
