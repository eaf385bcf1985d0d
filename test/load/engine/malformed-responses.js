/**
 * Responses that break HTTP, stretch it, or could be read in two ways, with what is to become of them. Node's client,
 * Artillery's, gives the names; undici's was ours before. Where one of them sees something else, the table says so.
 */

const OK = 'HTTP/1.1 200 OK\r\n';
const CHUNKED = `${OK}transfer-encoding: chunked\r\n\r\n`;
const EMPTY = `${OK}content-length: 0\r\n\r\n`;

/**
 * @typedef {object} Malformed
 * @property {string} bytes of latin1, after which the server closes the connection
 * @property {string} [method] GET
 * @property {string} [code] of the failure
 * @property {string} [body] where there is none
 * @property {[code: string | undefined, body: string | undefined]} [node] what Node's client makes of it
 * @property {[code: string | undefined, body: string | undefined]} [undici]
 */

/** undici complains of a length that it has read, whatever comes after it. @type {[string, undefined]} */
const LENGTH_FIRST = ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', undefined];

/** @type {Record<string, Malformed>} */
export const MALFORMED = {
  'no HTTP': { bytes: 'SSH-2.0-OpenSSH_9\r\n', code: 'HPE_INVALID_CONSTANT' },
  'HTTP/0.9': { bytes: 'just text\n', code: 'HPE_INVALID_CONSTANT' },
  'lower-case protocol': { bytes: `http/1.1 200 OK\r\n\r\n`, code: 'HPE_INVALID_CONSTANT' },
  'HTTP/3': { bytes: 'HTTP/3.0 200 OK\r\n\r\n', code: 'HPE_INVALID_VERSION' },
  'version of two digits': { bytes: 'HTTP/1.10 200 OK\r\n\r\n', code: 'HPE_INVALID_VERSION' },
  'version without a dot': { bytes: 'HTTP/11 200 OK\r\n\r\n', code: 'HPE_INVALID_VERSION' },
  'tab after the version': { bytes: 'HTTP/1.1\t200 OK\r\n\r\n', code: 'HPE_INVALID_VERSION' },
  'status of two digits': { bytes: 'HTTP/1.1 20 OK\r\n\r\n', code: 'HPE_INVALID_STATUS' },
  'status of four digits': { bytes: 'HTTP/1.1 2000 OK\r\n\r\n', code: 'HPE_INVALID_STATUS' },
  'status in letters': { bytes: 'HTTP/1.1 abc OK\r\n\r\n', code: 'HPE_INVALID_STATUS' },
  'status with a sign': { bytes: 'HTTP/1.1 +20 OK\r\n\r\n', code: 'HPE_INVALID_STATUS' },
  'status line ended by LF': {
    bytes: 'HTTP/1.1 200 OK\ncontent-length: 0\r\n\r\n',
    code: 'HPE_CR_EXPECTED',
  },
  'status ended by LF': { bytes: 'HTTP/1.1 200\n\r\n', code: 'HPE_INVALID_STATUS' },
  'status line ended by CR': { bytes: 'HTTP/1.1 200 OK\rx: y\r\n\r\n', code: 'HPE_STRICT' },
  'space after the status line': { bytes: `${OK} x: y\r\n\r\n`, code: 'HPE_UNEXPECTED_SPACE' },
  'tab after the status line': { bytes: `${OK}\tx: y\r\n\r\n`, code: 'HPE_INVALID_HEADER_TOKEN' },
  'header ended by LF': { bytes: `${OK}x: y\ncontent-length: 0\r\n\r\n`, code: 'HPE_CR_EXPECTED' },
  'header ended by CR': { bytes: `${OK}x: y\rz: 1\r\n\r\n`, code: 'HPE_LF_EXPECTED' },
  'headers ended by LF': { bytes: `${OK}x: y\r\n\nbody`, code: 'HPE_INVALID_HEADER_TOKEN' },
  'headers ended by CR': { bytes: `${OK}x: y\r\n\rbody`, code: 'HPE_STRICT' },
  'folded header': { bytes: `${OK}x: one\r\n two\r\n\r\n`, code: 'HPE_INVALID_HEADER_TOKEN' },
  'header folded by a tab': {
    bytes: `${OK}x: one\r\n\ttwo\r\n\r\n`,
    code: 'HPE_INVALID_HEADER_TOKEN',
  },
  'space before the colon': { bytes: `${OK}x : y\r\n\r\n`, code: 'HPE_INVALID_HEADER_TOKEN' },
  'space before the colon of the length': {
    bytes: `${OK}content-length : 2\r\n\r\nok`,
    code: 'HPE_INVALID_HEADER_TOKEN',
  },
  'space in a name': { bytes: `${OK}a b: c\r\n\r\n`, code: 'HPE_INVALID_HEADER_TOKEN' },
  'name outside ASCII': { bytes: `${OK}gr\xfc\xdfe: c\r\n\r\n`, code: 'HPE_INVALID_HEADER_TOKEN' },
  'header without a name': { bytes: `${OK}: c\r\n\r\n`, code: 'HPE_INVALID_HEADER_TOKEN' },
  'header without a colon': { bytes: `${OK}nothing\r\n\r\n`, code: 'HPE_INVALID_HEADER_TOKEN' },
  'NUL in a value': { bytes: `${OK}x: a\0b\r\n\r\n`, code: 'HPE_INVALID_HEADER_TOKEN' },
  'DEL in a value': { bytes: `${OK}x: a\x7fb\r\n\r\n`, code: 'HPE_INVALID_HEADER_TOKEN' },
  'bare CR in a value': { bytes: `${OK}x: a\rb\r\n\r\n`, code: 'HPE_LF_EXPECTED' },
  'header of 20 KB': {
    bytes: `${OK}x: ${'h'.repeat(20_000)}\r\n\r\n`,
    code: 'HPE_HEADER_OVERFLOW',
  },
  'headers of 20 KB': {
    bytes: `${OK}${'x: yyyyyyyy\r\n'.repeat(2500)}\r\n`,
    code: 'HPE_HEADER_OVERFLOW',
  },
  'header of 20 KB that never ends': {
    bytes: `${OK}x: ${'h'.repeat(20_000)}`,
    code: 'HPE_HEADER_OVERFLOW',
  },
  'name of 20 KB that never ends': { bytes: OK + 'h'.repeat(20_000), code: 'HPE_HEADER_OVERFLOW' },
  'header of 12 KB': {
    bytes: `${OK}x: ${'h'.repeat(12_000)}\r\ncontent-length: 2\r\n\r\nok`,
    body: 'ok',
  },

  'two lengths': {
    bytes: `${OK}content-length: 1\r\ncontent-length: 2\r\n\r\nok`,
    code: 'HPE_UNEXPECTED_CONTENT_LENGTH',
    undici: LENGTH_FIRST,
  },
  'the same length twice': {
    bytes: `${OK}content-length: 2\r\ncontent-length: 2\r\n\r\nok`,
    code: 'HPE_UNEXPECTED_CONTENT_LENGTH',
    undici: LENGTH_FIRST,
  },
  'two lengths in one': {
    bytes: `${OK}content-length: 2, 2\r\n\r\nok`,
    code: 'HPE_INVALID_CONTENT_LENGTH',
    undici: LENGTH_FIRST,
  },
  'length and chunks': {
    bytes: `${OK}content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n4\r\nfour\r\n0\r\n\r\n`,
    code: 'HPE_INVALID_TRANSFER_ENCODING',
    undici: LENGTH_FIRST,
  },
  'chunks and length': {
    bytes: `${OK}transfer-encoding: chunked\r\ncontent-length: 3\r\n\r\n4\r\nfour\r\n0\r\n\r\n`,
    code: 'HPE_INVALID_CONTENT_LENGTH',
  },
  'length with a plus': {
    bytes: `${OK}content-length: +2\r\n\r\nok`,
    code: 'HPE_INVALID_CONTENT_LENGTH',
  },
  'length with a minus': {
    bytes: `${OK}content-length: -1\r\n\r\n`,
    code: 'HPE_INVALID_CONTENT_LENGTH',
  },
  'length in hexadecimal': {
    bytes: `${OK}content-length: 0x2\r\n\r\nok`,
    code: 'HPE_INVALID_CONTENT_LENGTH',
  },
  'length with a fraction': {
    bytes: `${OK}content-length: 2.0\r\n\r\nok`,
    code: 'HPE_INVALID_CONTENT_LENGTH',
    undici: LENGTH_FIRST,
  },
  'length in words': {
    bytes: `${OK}content-length: two\r\n\r\nok`,
    code: 'HPE_INVALID_CONTENT_LENGTH',
  },
  'length with a space inside': {
    bytes: `${OK}content-length: 1 2\r\n\r\nok`,
    code: 'HPE_INVALID_CONTENT_LENGTH',
    undici: LENGTH_FIRST,
  },
  'empty length': { bytes: `${OK}content-length: \r\n\r\nok`, code: 'HPE_INVALID_CONTENT_LENGTH' },
  'length of 65 bits': {
    bytes: `${OK}content-length: 36893488147419103232\r\n\r\n`,
    code: 'HPE_INVALID_CONTENT_LENGTH',
    undici: LENGTH_FIRST,
  },
  'length that is folded': {
    bytes: `${OK}content-length:\r\n 2\r\n\r\nok`,
    code: 'HPE_INVALID_HEADER_TOKEN',
  },
  'length with leading zeros': { bytes: `${OK}content-length: 002\r\n\r\nok`, body: 'ok' },
  'length with spaces around': {
    bytes: `${OK}content-length: \t 2 \t\r\n\r\nok`,
    body: 'ok',
    undici: LENGTH_FIRST,
  },
  'empty encoding': {
    bytes: `${OK}transfer-encoding: \r\n\r\nok`,
    code: 'HPE_INVALID_TRANSFER_ENCODING',
    undici: [undefined, 'ok'],
  },
  'chunks under a capital name': {
    bytes: `${OK}TRANSFER-ENCODING: CHUNKED\r\n\r\n2\r\nok\r\n0\r\n\r\n`,
    body: 'ok',
  },
  'chunks among other encodings': {
    bytes: `${OK}transfer-encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`,
    body: 'ok',
  },
  'another encoding after chunked': {
    bytes: `${OK}transfer-encoding: chunked, gzip\r\n\r\n2\r\nok\r\n0\r\n\r\n`,
    body: '2\r\nok\r\n0\r\n\r\n',
  },
  'chunked with a letter too many': {
    bytes: `${OK}transfer-encoding: xchunked\r\n\r\nok`,
    body: 'ok',
  },

  'chunk size in words': {
    bytes: `${CHUNKED}zz\r\nok\r\n0\r\n\r\n`,
    code: 'HPE_INVALID_CHUNK_SIZE',
  },
  'chunk size with a prefix': {
    bytes: `${CHUNKED}0x2\r\nok\r\n0\r\n\r\n`,
    code: 'HPE_INVALID_CHUNK_SIZE',
  },
  'chunk size with a plus': {
    bytes: `${CHUNKED}+2\r\nok\r\n0\r\n\r\n`,
    code: 'HPE_INVALID_CHUNK_SIZE',
  },
  'chunk size with a minus': {
    bytes: `${CHUNKED}-2\r\nok\r\n0\r\n\r\n`,
    code: 'HPE_INVALID_CHUNK_SIZE',
  },
  'chunk size after a space': {
    bytes: `${CHUNKED} 2\r\nok\r\n0\r\n\r\n`,
    code: 'HPE_INVALID_CHUNK_SIZE',
  },
  'chunk size before a space': {
    bytes: `${CHUNKED}2 \r\nok\r\n0\r\n\r\n`,
    code: 'HPE_INVALID_CHUNK_SIZE',
  },
  'empty chunk size': { bytes: `${CHUNKED}\r\nok\r\n0\r\n\r\n`, code: 'HPE_INVALID_CHUNK_SIZE' },
  'chunk size of 68 bits': {
    bytes: `${CHUNKED}fffffffffffffffff\r\nok`,
    code: 'HPE_INVALID_CHUNK_SIZE',
  },
  'chunk size ended by LF': { bytes: `${CHUNKED}2\nok\r\n0\r\n\r\n`, code: 'HPE_CR_EXPECTED' },
  'chunk size ended by CR': { bytes: `${CHUNKED}2\rok\r\n0\r\n\r\n`, code: 'HPE_STRICT' },
  'chunk longer than its size': { bytes: `${CHUNKED}2\r\nokay\r\n0\r\n\r\n`, code: 'HPE_STRICT' },
  'chunk ended by LF': { bytes: `${CHUNKED}2\r\nok\n0\r\n\r\n`, code: 'HPE_CR_EXPECTED' },
  'chunk ended by CR': { bytes: `${CHUNKED}2\r\nok\r0\r\n\r\n`, code: 'HPE_STRICT' },
  'chunk size with leading zeros': { bytes: `${CHUNKED}0002\r\nok\r\n000\r\n\r\n`, body: 'ok' },
  'chunk size in capitals': { bytes: `${CHUNKED}A\r\n0123456789\r\n0\r\n\r\n`, body: '0123456789' },
  'chunk extension': { bytes: `${CHUNKED}2;a=b;c;d="e;\\"f"\r\nok\r\n0\r\n\r\n`, body: 'ok' },
  'chunk extension after a space': {
    bytes: `${CHUNKED}2; a=b\r\nok\r\n0\r\n\r\n`,
    code: 'HPE_STRICT',
  },
  'empty chunk extension': { bytes: `${CHUNKED}2;\r\nok\r\n0\r\n\r\n`, code: 'HPE_STRICT' },
  'chunk extension ended by LF': {
    bytes: `${CHUNKED}2;a\nok\r\n0\r\n\r\n`,
    code: 'HPE_CR_EXPECTED',
  },
  'NUL in a chunk extension': { bytes: `${CHUNKED}2;a\0\r\nok\r\n0\r\n\r\n`, code: 'HPE_STRICT' },
  'chunk extension with an open quote': {
    bytes: `${CHUNKED}2;a="b\r\nok\r\n0\r\n\r\n`,
    code: 'HPE_STRICT',
  },
  trailers: { bytes: `${CHUNKED}2\r\nok\r\n0\r\nx: y\r\n\r\n`, body: 'ok' },
  'length among trailers': {
    bytes: `${CHUNKED}2\r\nok\r\n0\r\ncontent-length: 2\r\n\r\n`,
    code: 'HPE_INVALID_CONTENT_LENGTH',
  },
  'folded trailer': {
    bytes: `${CHUNKED}2\r\nok\r\n0\r\nx: y\r\n z\r\n\r\n`,
    code: 'HPE_INVALID_HEADER_TOKEN',
  },
  'trailers of 20 KB': {
    bytes: `${CHUNKED}0\r\nx: ${'h'.repeat(20_000)}\r\n\r\n`,
    code: 'HPE_HEADER_OVERFLOW',
  },

  'end before anything': { bytes: '', code: 'ECONNRESET' },
  'end in the status line': { bytes: 'HTTP/1.1 2', code: 'ECONNRESET' },
  'end in a header': { bytes: `${OK}content-le`, code: 'ECONNRESET' },
  'end before the empty line': { bytes: `${OK}x: y\r\n`, code: 'ECONNRESET' },
  'end in the body': { bytes: `${OK}content-length: 9\r\n\r\nok`, code: 'ECONNRESET' },
  'end in a body whose connection was to close': {
    bytes: `${OK}connection: close\r\ncontent-length: 9\r\n\r\nok`,
    code: 'ECONNRESET',
    undici: LENGTH_FIRST,
  },
  'end in a chunk size': { bytes: `${CHUNKED}2`, code: 'ECONNRESET' },
  'end in a chunk': { bytes: `${CHUNKED}9\r\nok`, code: 'ECONNRESET' },
  'end after a chunk': { bytes: `${CHUNKED}2\r\nok\r\n`, code: 'ECONNRESET' },
  'end in the trailers': { bytes: `${CHUNKED}2\r\nok\r\n0\r\nx: y\r\n`, code: 'ECONNRESET' },
  'end of a body without a length': { bytes: `${OK}\r\nuntil the end`, body: 'until the end' },
  'end of an HTTP/1.0 body': { bytes: 'HTTP/1.0 200 OK\r\n\r\nold', body: 'old' },

  'line ends before the response': { bytes: `\r\n\n\r\n${EMPTY}`, body: '' },
  'status without a text': { bytes: 'HTTP/1.1 200\r\ncontent-length: 2\r\n\r\nok', body: 'ok' },
  'early hints': { bytes: `HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${EMPTY}`, body: '' },
  'hints that are malformed': {
    bytes: `HTTP/1.1 103 Early Hints\r\nlink : </a>\r\n\r\n${EMPTY}`,
    code: 'HPE_INVALID_HEADER_TOKEN',
  },
  'HEAD with a length': { method: 'HEAD', bytes: `${OK}content-length: 9\r\n\r\n`, body: '' },
  'HEAD with chunks': { method: 'HEAD', bytes: CHUNKED, body: '' },
  204: { bytes: 'HTTP/1.1 204 No Content\r\n\r\n', body: '' },
  '304 with a length': {
    bytes: 'HTTP/1.1 304 Not Modified\r\ncontent-length: 9\r\n\r\n',
    body: '',
    undici: LENGTH_FIRST,
  },
  'bytes after the response': { bytes: `${EMPTY}HTTP/1.1 500 Never\r\n\r\n`, body: '' },
  'text after the response': {
    bytes: `${EMPTY}rubbish`,
    body: '',
    node: ['HPE_INVALID_CONSTANT', undefined],
  },
};
