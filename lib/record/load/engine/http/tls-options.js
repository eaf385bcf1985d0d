import tls from 'node:tls';

/** got's names, which Artillery's documentation takes over, beside Node's own. */
const NAMES = {
  certificateAuthority: 'ca',
  certificate: 'cert',
  serverName: 'servername',
  signatureAlgorithms: 'sigalgs',
  certificateRevocationLists: 'crl',
  tlsSessionLifetime: 'sessionTimeout',
};
/** What belongs to a connection; the rest makes up the secure context, which all share. */
const PER_CONNECTION = ['rejectUnauthorized', 'checkServerIdentity', 'minDHSize', 'ALPNProtocols'];

/**
 * Read once: a secure context of its own for each connection would cost a millisecond.
 * @param {Record<string, any>} config `config.tls`, by Node's names or got's
 * @returns {{options: tls.ConnectionOptions, servername: string | undefined}}
 */
export function readTlsOptions(config) {
  const named = Object.fromEntries(
    Object.entries(config).map(([name, value]) => [
      /** @type {Record<string, string>} */ (NAMES)[name] ?? name,
      value,
    ]),
  );
  const { servername, ...rest } = named;
  const perConnection = Object.fromEntries(
    Object.entries(rest).filter(([name]) => PER_CONNECTION.includes(name)),
  );
  return {
    servername,
    options: {
      ...perConnection,
      get secureContext() {
        const secureContext = tls.createSecureContext(rest);
        Object.defineProperty(this, 'secureContext', { value: secureContext, enumerable: true });
        return secureContext;
      },
    },
  };
}
