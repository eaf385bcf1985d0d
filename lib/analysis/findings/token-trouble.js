import { formatDuration } from '../../format.js';
import { countRefused } from '../validity.js';

/** 401s are no riddle: they are told apart by when they began and what the token source did. @type {import('./index.js').FindingRule} */
export function findTokenTrouble({ load }) {
  if (!load) return [];
  const { tokens } = load;
  const refused = countRefused(load);
  const unauthorized = load.http.codes.find(({ code }) => code === '401')?.count ?? 0;
  if (unauthorized === 0 && !tokens?.failed) return [];
  const evidence = [
    { label: 'answers 401', value: `${unauthorized} of ${load.http.responses}` },
    ...(tokens
      ? [
          {
            label: 'tokens obtained / refreshed',
            value: `${tokens.obtained} / ${tokens.refreshed}`,
          },
          { label: 'refreshes that failed', value: `${tokens.failed}` },
          ...(tokens.lifetimeSec
            ? [{ label: 'life of a token', value: `${tokens.lifetimeSec} s` }]
            : []),
        ]
      : [{ label: 'login', value: 'none configured (OIDC_ISSUER is not set)' }]),
  ];
  const flipAfterMs = tokens?.flippedAtMs ? tokens.flippedAtMs - load.window.startMs : null;
  const [title, advice] = explain({
    tokens,
    flipAfterMs,
    unauthorized,
    responses: load.http.responses,
  });
  return [
    {
      id: 'token-trouble',
      severity: flipAfterMs !== null || refused > load.http.responses * 0.05 ? 'bad' : 'warn',
      title,
      detail: `${unauthorized} answers were 401 (unauthorized). They are errors of the login, not of the load.`,
      evidence,
      advice,
      link: 'errors',
    },
  ];
}

/**
 * @param {{tokens: import('../report.d.ts').LoadReport['tokens'], flipAfterMs: number | null, unauthorized: number, responses: number}} facts
 * @returns {[title: string, advice: string]}
 */
function explain({ tokens, flipAfterMs, unauthorized, responses }) {
  if (!tokens) {
    return [
      'The target wants a token, and no login is configured.',
      'Set OIDC_ISSUER, OIDC_CLIENT_ID and a user (see envs.example.sh).',
    ];
  }
  if (flipAfterMs !== null && tokens.failed > 0) {
    return [
      `Tokens expired: answers flipped from 2xx to 401 after ${formatDuration(flipAfterMs)}, and ${tokens.failed} refreshes failed.`,
      "Look at the identity provider's log: the session may have ended (idle time-out) or the user been locked out.",
    ];
  }
  if (flipAfterMs !== null) {
    return [
      `Tokens expired or were refused: answers flipped from 2xx to 401 after ${formatDuration(flipAfterMs)}.`,
      'A script that obtains tokens by itself and keeps them runs into this: let loadflame log in (OIDC_*). Otherwise look for revoked sessions or keys that the provider rotated.',
    ];
  }
  if (unauthorized > responses * 0.9) {
    return [
      'The target refused the tokens from the first request on.',
      'Compare the issuer string of both sides (localhost is not 127.0.0.1), the audience (OIDC_AUDIENCE), the client and the clocks.',
    ];
  }
  if (unauthorized === 0) {
    return [
      `${tokens.failed} token refreshes failed; the answers were not affected.`,
      "Look at the identity provider's log.",
    ];
  }
  return [
    `Some requests were refused with 401 (${unauthorized} of ${responses}).`,
    'See which endpoints in the error samples: they may want another role, or carry an Authorization header of their own.',
  ];
}
