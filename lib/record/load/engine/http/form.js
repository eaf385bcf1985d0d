import { PassThrough } from 'node:stream';
import { promisify } from 'node:util';

/**
 * Sends multipart forms: their length is known only when their files were looked at.
 * @param {import('./exchange.js').Exchange} exchange
 * @param {() => import('form-data')} makeForm
 */
export async function sendForm(exchange, makeForm) {
  const { wire, call } = exchange;
  try {
    const form = makeForm();
    const length = await promisify(form.getLength.bind(form))();
    const body = new PassThrough();
    form.on('error', (/** @type {Error} */ error) => body.destroy(error));
    form.pipe(body);
    const contentType = wire.headers.includes('content-type')
      ? []
      : ['content-type', `multipart/form-data; boundary=${form.getBoundary()}`];
    const headers = [...wire.headers, ...contentType, 'content-length', String(length)];
    call.dispatch(exchange, wire.with({ headers, body }));
  } catch (error) {
    exchange.onError(/** @type {Error} */ (error));
  }
}
