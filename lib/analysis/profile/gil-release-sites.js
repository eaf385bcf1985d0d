/**
 * Innermost frames in which a thread gives up the GIL. There, a profiler also counts a thread as active while it is
 * runnable and waits for a core, or for the GIL; on a saturated machine that is most of it. Measured on the demo with
 * four busy threads per core: a sample there stood for 2 ms of CPU time, a sample in Python code for 12.
 */

/** @typedef {readonly {file: RegExp, functions: RegExp}[]} Gaps */

/**
 * System calls that hand something over (sockets, pipes, locks, files): the thread that they wake gets the core, and
 * the call itself takes next to nothing. Surplus samples are removed here first.
 * @type {Gaps}
 */
const HAND_OVERS = Object.freeze([
  {
    file: /^socket\.py$/,
    functions:
      /^(?:readinto|write|accept|connect|create_connection|send.*|recv.*|close|_real_close)$/,
  },
  { file: /^ssl\.py$/, functions: /^(?:read|write|recv.*|send.*|do_handshake)$/ },
  { file: /^selectors\.py$/, functions: /^(?:select|register|unregister|modify)$/ },
  { file: /^gunicorn\/util\.py$/, functions: /^(?:write.*|close)$/ },
  { file: /^gunicorn\/http\/(?:unreader|body)\.py$/, functions: /^(?:chunk|read)$/ },
  { file: /^gunicorn\/workers\/workertmp\.py$/, functions: /^(?:notify|last_update)$/ },
  {
    file: /^gunicorn\/workers\/gthread\.py$/,
    functions: /^(?:defer|run_callbacks|accept|wait_for_and_dispatch_events|is_parent_alive)$/,
  },
  {
    file: /^asyncio\/selector_events\.py$/,
    functions:
      /^(?:write|_write_(?:send|sendmsg|to_self)|_read_ready.*|_read_from_self|_accept_connection)$/,
  },
  { file: /^concurrent\/futures\/thread\.py$/, functions: /^submit$/ },
  {
    file: /^threading\.py$/,
    functions: /^(?:notify|notify_all|release|set|start|acquire|__enter__|__exit__)$/,
  },
  { file: /^queue\.py$/, functions: /^put$/ },
  { file: /^http\/client\.py$/, functions: /^send$/ },
  { file: /^httpcore\/_backends\/sync\.py$/, functions: /^(?:read|write|connect_tcp)$/ },
  { file: /^urllib3\/util\/wait\.py$/, functions: /./ },
  { file: /^pymysql\/connections\.py$/, functions: /^_(?:read|write)_bytes$/ },
  { file: /^psycopg\/(?:waiting|generators)\.py$/, functions: /./ },
  {
    file: /^redis\/(?:connection|_parsers\/socket)\.py$/,
    functions: /^(?:_read_from_socket|send_packed_command|can_read)$/,
  },
  { file: /^logging\/__init__\.py$/, functions: /^(?:emit|flush|acquire|release)$/ },
]);

/**
 * Calls that work without the GIL: a driver's query, C code that runs for a while.
 * @type {Gaps}
 */
const LONG_CALLS = Object.freeze([
  { file: /^sqlalchemy\/engine\/default\.py$/, functions: /^do_/ },
  { file: /^sqlalchemy\/engine\/cursor\.py$/, functions: /^fetch(?:one|many|all)$/ },
  {
    file: /^(?:sqlalchemy|django\/db)\/.*(?:connections?|utils|base)\.py$/,
    functions: /^_?execute|^commit$/,
  },
  { file: /^jwt\/algorithms\.py$/, functions: /^(?:sign|verify)$/ },
  { file: /^jose\/backends\/cryptography_backend\.py$/, functions: /^(?:sign|verify)$/ },
  { file: /^(?:bcrypt|argon2|passlib)\//, functions: /./ },
  { file: /^(?:gzip|zlib|zipfile|hashlib)\.py$/, functions: /./ },
]);

/**
 * @param {import('../../run/facts/rules.d.ts').FrameIdentity} frame innermost one
 * @returns {0 | 1 | 2} 1: a hand-over, 2: a long call, 0: neither
 */
export function gapOf({ path, name }) {
  const isOne = (/** @type {Gaps} */ gaps) =>
    gaps.some(({ file, functions }) => functions.test(name) && file.test(path));
  return isOne(HAND_OVERS) ? 1 : isOne(LONG_CALLS) ? 2 : 0;
}
