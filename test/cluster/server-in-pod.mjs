/** Serves requests in a pod, and writes a line for each. */
import http from 'node:http';

/** @type {Buffer[]} */
const eaten = [];
let served = 0;
let isHung = false;
http
  .createServer(({ url = '/' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://pod');
    if (pathname === '/eat') setInterval(() => eaten.push(Buffer.alloc(8 * 2 ** 20, 1)), 20);
    if (pathname === '/say') console.log(searchParams.get('text'));
    if (pathname === '/load')
      console.log(`ERROR: request ${++served} of ${process.env.HOSTNAME} ${url}`);
    if (pathname === '/hang') isHung = true;
    if (pathname === '/alive' && isHung) response.statusCode = 500;
    response.end(`${served}`);
  })
  .listen(8080, () => console.log('INFO: serving'));
process.on('SIGTERM', () => process.exit(0));
