/** A certificate authority with a server and a client, made anew for every start. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** @typedef {{key: string, cert: string}} Pair PEM */

/**
 * @param {string} folder
 * @returns {{authority: Pair, server: Pair, client: Pair}}
 */
export function makeCertificates(folder) {
  const file = (/** @type {string} */ name) => path.join(folder, name);
  const openssl = (/** @type {string[]} */ ...args) =>
    execFileSync('openssl', args, { stdio: 'pipe' });
  const key = (/** @type {string} */ name) => [
    ...['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
    ...['-keyout', file(`${name}.key`)],
  ];
  openssl(
    'req',
    '-x509',
    ...key('ca'),
    '-days',
    '2',
    '-subj',
    '/CN=test authority',
    '-out',
    file('ca.crt'),
  );
  writeFileSync(file('server.ext'), 'subjectAltName=IP:127.0.0.1,DNS:localhost');
  writeFileSync(file('client.ext'), 'extendedKeyUsage=clientAuth');
  for (const name of ['server', 'client']) {
    openssl('req', '-new', ...key(name), '-subj', `/CN=test ${name}`, '-out', file(`${name}.csr`));
    openssl(
      ...[
        'x509',
        '-req',
        '-in',
        file(`${name}.csr`),
        '-CA',
        file('ca.crt'),
        '-CAkey',
        file('ca.key'),
      ],
      ...[
        '-CAcreateserial',
        '-days',
        '2',
        '-extfile',
        file(`${name}.ext`),
        '-out',
        file(`${name}.crt`),
      ],
    );
  }
  const read = (/** @type {string} */ name) => ({
    key: readFileSync(file(`${name}.key`), 'utf8'),
    cert: readFileSync(file(`${name}.crt`), 'utf8'),
  });
  return { authority: read('ca'), server: read('server'), client: read('client') };
}
