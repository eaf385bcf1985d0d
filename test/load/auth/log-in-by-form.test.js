import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TokenSource } from '../../../lib/load/auth/token-source.js';
import { sendHtml, sendJson, startFakeProvider } from './helpers.js';

/** Keycloak 26's login page, with everything that matters to a driver and its misleading rest. */
const keycloakForm = (/** @type {string} */ action, alert = '') => `<!DOCTYPE html><html><head>
<title>Sign in to demo</title><script>document.write('<form method="post"><input type="password" name="decoy"></form>')</script></head><body>
<!-- <form><input type="password" name="commented-out"></form> -->
<h1 id="kc-page-title">Sign in to your account</h1>
<form id="search" method="get" action="/search"><input name="q"></form>
<form id="kc-form-login" onsubmit="login.disabled = true; return true;" action="${action.replaceAll('&', '&amp;')}" method="post" novalidate="novalidate">
<input id="username" name="username" value="" type="text" autocomplete="username" autofocus aria-invalid="">
${alert && `<span id="input-error" class="pf-v5-c-helper-text__item-text" aria-live="polite">${alert}</span>`}
<input id="password" name="password" value="" type="password" autocomplete="current-password">
<input id="rememberMe" name="rememberMe" type="checkbox"> Remember me
<input type="hidden" id="id-hidden-input" name="credentialId" value="a&quot;b"/>
<button name="login" id="kc-login" type="submit">Sign In</button></form></body></html>`;

/**
 * @param {(request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse, origin: string, body: string) => void} answer
 */
async function logIn(answer) {
  const fake = await startFakeProvider(answer);
  const source = new TokenSource(fake.authConfig({ flow: 'authorization_code' }));
  try {
    await source.start();
    return { tokens: source.tokens(), requests: fake.requests };
  } finally {
    await source.stop();
    await fake.stop();
  }
}

test('a form is filled in as a browser does: entities, hidden fields, button, cookies, no boxes', async () => {
  let cookies = '';
  let state = '';
  const { tokens, requests } = await logIn((request, response, origin) => {
    const url = new URL(request.url ?? '', origin);
    if (url.pathname === '/token')
      return sendJson(response, 200, { access_token: 't', token_type: 'Bearer' });
    if (url.pathname === '/auth') {
      state = url.searchParams.get('state') ?? '';
      response.setHeader('set-cookie', [
        'AUTH_SESSION_ID=one; Path=/; Secure; HttpOnly; SameSite=None',
        'KC_RESTART=two; Path=/login-actions; HttpOnly',
        'GONE=; Path=/; Max-Age=0',
        'ELSEWHERE=three; Path=/account',
      ]);
      return sendHtml(
        response,
        200,
        keycloakForm('/login-actions/authenticate?session_code=a&execution=b&tab_id=c'),
      );
    }
    cookies = request.headers.cookie ?? '';
    assert.equal(url.search, '?session_code=a&execution=b&tab_id=c');
    response.writeHead(302, { location: `http://127.0.0.1/callback?code=abc&state=${state}` });
    response.end();
  });
  assert.deepEqual(tokens, ['t']);
  assert.equal(cookies, 'KC_RESTART=two; AUTH_SESSION_ID=one');
  const posted = requests.find(({ path }) => path === '/login-actions/authenticate');
  assert.deepEqual(Object.fromEntries(new URLSearchParams(posted?.body)), {
    username: 'anna',
    password: 'correct horse',
    credentialId: 'a"b',
    login: '',
  });
  const exchange = new URLSearchParams(requests.find(({ path }) => path === '/token')?.body);
  assert.equal(exchange.get('redirect_uri'), 'http://127.0.0.1/callback');
  assert.match(exchange.get('code_verifier') ?? '', /^[\w-]{43}$/);
});

test('the form coming back with an alert is a refused login, in the words of the page', async () => {
  await assert.rejects(
    logIn((request, response) =>
      sendHtml(
        response,
        200,
        keycloakForm(
          '/post',
          request.method === 'POST' ? 'Account is disabled, contact your administrator.' : '',
        ),
      ),
    ),
    {
      code: 'OIDC_LOGIN_REFUSED',
      message: /refused the login of user anna: Account is disabled, contact your administrator\./,
    },
  );
});

test('recognises a consent page, a new password and a second factor by the text of the page', async () => {
  const pages = {
    'Grant Access to demo':
      '<h1>Grant Access to demo</h1><form method="post"><button>Yes</button></form>',
    'You need to change your password.':
      '<h1>Update password</h1><div class="alert-warning">You need to change your password.</div><form method="post"><input type="password" name="password-new"></form>',
  };
  for (const [words, page] of Object.entries(pages)) {
    await assert.rejects(
      logIn((request, response) =>
        sendHtml(response, 200, request.method === 'POST' ? page : keycloakForm('/post')),
      ),
      {
        code: 'OIDC_FORM_NOT_UNDERSTOOD',
        exitCode: 4,
        message: new RegExp(words),
        hint: /in a browser/,
      },
    );
  }
});

test('an error page names the client, where the page does', async () => {
  await assert.rejects(
    logIn((_, response) => sendHtml(response, 400, '<p class="instruction">Client not found.</p>')),
    {
      code: 'OIDC_FORM_NOT_UNDERSTOOD',
      message: /status 400.*Client not found/,
      hint: /OIDC_CLIENT_ID \(now client\)/,
    },
  );
});

test('neither a redirect nor a form leads to another origin', async () => {
  const elsewhere = await startFakeProvider((_, response) => sendHtml(response, 200, ''));
  try {
    await assert.rejects(
      logIn((_, response) => {
        response.writeHead(302, { location: `${elsewhere.origin}/broker` });
        response.end();
      }),
      { code: 'OIDC_FORM_NOT_UNDERSTOOD', message: new RegExp(elsewhere.origin) },
    );
    await assert.rejects(
      logIn((_, response) => sendHtml(response, 200, keycloakForm(`${elsewhere.origin}/steal`))),
      { code: 'OIDC_FORM_NOT_UNDERSTOOD', message: /posts the password to/ },
    );
    assert.deepEqual(elsewhere.requests, []);
  } finally {
    await elsewhere.stop();
  }
});

test('redirects without end are given up', async () => {
  await assert.rejects(
    logIn((_, response) => {
      response.writeHead(302, { location: '/again' });
      response.end();
    }),
    { code: 'OIDC_FORM_NOT_UNDERSTOOD', message: /more than 20 times/ },
  );
});

test('rejects a response with another state', async () => {
  await assert.rejects(
    logIn((_, response) => {
      response.writeHead(302, { location: 'http://127.0.0.1/callback?code=abc&state=forged' });
      response.end();
    }),
    { code: 'OIDC_TOKEN_FAILED', message: /state/ },
  );
});

test('a provider without an authorization endpoint does not support the flow', async () => {
  const fake = await startFakeProvider(() => {}, {
    describe: () => ({ authorization_endpoint: undefined }),
  });
  const source = new TokenSource(fake.authConfig({ flow: 'authorization_code' }));
  try {
    await assert.rejects(source.start(), { code: 'OIDC_FLOW_UNSUPPORTED', hint: /OIDC_FLOW/ });
  } finally {
    await fake.stop();
  }
});
