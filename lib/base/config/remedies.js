/** Causes that the companion can change by itself (companion/loadflame/remedies/); some take a value behind a colon. */
export const REMEDIES = [
  ...['tls-context-per-request', 'http-client-per-request', 'remote-introspection'],
  ...['lazy-loading', 'access-log', 'gc-freeze', 'gc-threshold', 'observability-off'],
];
