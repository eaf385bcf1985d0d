import { PassThrough } from 'node:stream';
import { promisify } from 'node:util';

/**
 * Sends multipart forms: their length is known only when their files were looked at.
 * @param {import('./wire.js').Wire} wire
 * @param {() => import('form-data')} makeForm
 * @param {import('undici').Dispatcher} dispatcher
 * @param {import('./exchange.js').Exchange} exchange
 */
export async function sendForm(wire, makeForm, dispatcher, exchange) {
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
    dispatcher.dispatch(
      /** @type {any} */ (wire.with({ headers, body })),
      /** @type {any} */ (exchange),
    );
  } catch (error) {
    exchange.onError(/** @type {Error} */ (error));
  }
}
