import assert from 'node:assert/strict';
import { test } from 'node:test';
import zlib from 'node:zlib';
import { readPage } from '../../../lib/load/auth/login/read-page.js';
import { TokenSource } from '../../../lib/load/auth/token-source.js';
import { startFakeProvider } from './helpers.js';

/** In the square of the length any of these takes minutes. */
const MOST_CPU_US = 2e6;

for (const unit of [
  '<a',
  '<!--',
  '<!',
  '<script',
  '<head ',
  '<a "',
  '<a"\'',
  'a',
  '<div class=alert>',
  '<p role=alert>&',
]) {
  test(`a page of ${unit} without end is read in a moment`, () => {
    const before = process.cpuUsage();
    readPage(`<${unit.repeat(500_000 / unit.length)}`);
    const { user, system } = process.cpuUsage(before);
    assert.ok(user + system < MOST_CPU_US, `${(user + system) / 1e6} s`);
  });
}

test('what a comment, a script and a head say is not read, closed or not', () => {
  const { forms, text } = readPage(
    '<head><title>x</title><body>Sign in<form method=post><input type=password name=p></form><!-- <form>',
  );
  assert.equal(forms.length, 1);
  assert.equal(forms[0]?.inputs[0]?.name, 'p');
  assert.equal(text, 'Sign in');
});

test('of a login page that is unpacked to 300 MB only the beginning is read', async () => {
  const bomb = zlib.brotliCompressSync(Buffer.alloc(300e6, ' '), {
    params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 },
  });
  const fake = await startFakeProvider((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'br' });
    response.end(bomb);
  });
  const source = new TokenSource(fake.authConfig({ flow: 'authorization_code' }));
  const before = process.memoryUsage().rss;
  try {
    await assert.rejects(source.start(), { code: 'OIDC_FORM_NOT_UNDERSTOOD' });
    assert.ok(process.memoryUsage().rss - before < 200e6);
  } finally {
    await source.stop();
    await fake.stop();
  }
});
