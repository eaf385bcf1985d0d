/** The page on which a person logs in: one HTML form with user name and password. */
import { errors } from 'oidc-provider';
import { readForm } from './http-body.js';
import { isPasswordRight } from './users.js';

/** @typedef {import('node:http').IncomingMessage} IncomingMessage */
/** @typedef {import('node:http').ServerResponse} ServerResponse */

/**
 * Shows the form on GET and judges it on POST. A wrong password shows the form again with status
 * 200 and a message, as Keycloak does.
 * @param {import('oidc-provider').Provider} provider
 * @param {import('./settings.js').Settings} settings
 * @returns {(request: IncomingMessage, response: ServerResponse) => Promise<void>}
 */
export function createLoginForm(provider, settings) {
  return async function login(request, response) {
    try {
      await provider.interactionDetails(request, response);
    } catch (error) {
      if (!(error instanceof errors.SessionNotFound)) throw error;
      return sendPage(response, 400, renderMessage('This login has expired. Start again.'));
    }
    if (request.method !== 'POST') return sendPage(response, 200, renderForm(request.url ?? ''));
    const form = await readForm(request);
    const username = form.get('username') ?? '';
    if (!isPasswordRight(settings.users, username, form.get('password') ?? '')) {
      const page = renderForm(request.url ?? '', 'Invalid username or password.');
      return sendPage(response, 200, page);
    }
    return provider.interactionFinished(request, response, { login: { accountId: username } });
  };
}

/** @param {ServerResponse} response @param {number} status @param {string} html */
function sendPage(response, status, html) {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
  });
  response.end(html);
}

/** @param {string} action @param {string} [problem] shown above the form */
function renderForm(action, problem) {
  return renderMessage(
    problem ?? '',
    `<form id="login-form" method="post" action="${escapeHtml(action)}">
<p><label>User name <input name="username" autocomplete="username" required autofocus></label></p>
<p><label>Password <input name="password" type="password" autocomplete="current-password" required></label></p>
<p><button type="submit">Sign in</button></p>
</form>`,
  );
}

/** @param {string} message @param {string} [rest] HTML that follows it */
function renderMessage(message, rest = '') {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Sign in</title>
<style>body{font:16px/1.5 sans-serif;max-width:22rem;margin:4rem auto}[role=alert]{color:#a00}</style>
</head><body><h1>Sign in</h1>
${message ? `<p role="alert">${escapeHtml(message)}</p>` : ''}
${rest}
</body></html>
`;
}

/** @param {string} text */
function escapeHtml(text) {
  return text.replace(/[&<>"']/g, char => `&#${char.charCodeAt(0)};`);
}
