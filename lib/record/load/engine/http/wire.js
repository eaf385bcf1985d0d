/** A request as it goes on the wire; undici takes it as it is. */
export class Wire {
  /**
   * @param {object} request
   * @param {string} request.method
   * @param {import('./address.js').Address} request.address
   * @param {string[]} request.headers name, value, name, value …; without cookies and tokens
   * @param {Buffer | string | import('node:stream').Readable | null} [request.body]
   * @param {(() => import('form-data')) | null} [request.form]
   * @param {Follow} [request.follow]
   * @param {number} request.timeoutMs
   * @param {boolean} [request.decompress]
   * @param {boolean} [request.usesJar]
   * @param {boolean} [request.mayTakeToken]
   * @param {Record<string, any> | null} [request.tls] options for this request alone
   * @param {string} request.endpointName
   * @param {import('../../metrics/second-recorder.js').EndpointHandle} request.endpoint
   * @param {boolean} [request.isNamed] the script gave the endpoint its name
   */
  constructor(request) {
    this.method = request.method;
    this.address = request.address;
    this.path = request.address.path;
    this.headers = request.headers;
    this.body = request.body ?? null;
    this.form = request.form ?? null;
    this.follow = request.follow ?? 'host';
    this.timeoutMs = request.timeoutMs;
    this.decompress = request.decompress ?? true;
    this.usesJar = request.usesJar ?? false;
    this.mayTakeToken = request.mayTakeToken ?? false;
    this.tls = request.tls ?? null;
    this.endpointName = request.endpointName;
    this.endpoint = request.endpoint;
    this.isNamed = request.isNamed ?? false;
    /** of undici: neither HEAD nor a body where none is expected ends the connection */
    this.reset = false;
  }

  /** The same with other parts. @param {Partial<Wire>} parts @returns {Wire} */
  with(parts) {
    return new Wire({ ...this, ...parts });
  }
}

/**
 * Which redirects are followed: those to the same host, all, none, or as a hook decides.
 * @typedef {'host' | boolean | ((response: any) => boolean)} Follow
 */
