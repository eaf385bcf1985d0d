/**
 * Innermost frames in which a thread calls the operating system to hand something over: sockets, pipes,
 * locks, files. A profiler sees a thread there as active while it is runnable and waits for a core, because
 * the call wakes somebody else who gets it first; what such frames use of a core is little.
 * @type {readonly {file: RegExp, functions: RegExp}[]}
 */
const HAND_OVERS = Object.freeze([
  {
    file: /^socket\.py$/,
    functions:
      /^(?:readinto|write|accept|connect|create_connection|send.*|recv.*|close|_real_close)$/,
  },
  { file: /^ssl\.py$/, functions: /^(?:read|write|recv.*|send.*)$/ },
  { file: /^selectors\.py$/, functions: /^(?:select|register|unregister|modify)$/ },
  { file: /^gunicorn\/util\.py$/, functions: /^(?:write.*|close)$/ },
  { file: /^gunicorn\/http\/(?:unreader|body)\.py$/, functions: /^(?:chunk|read)$/ },
  { file: /^gunicorn\/workers\/workertmp\.py$/, functions: /^(?:notify|last_update)$/ },
  {
    file: /^gunicorn\/workers\/gthread\.py$/,
    functions: /^(?:defer|run_callbacks|accept|wait_for_and_dispatch_events|is_parent_alive)$/,
  },
  { file: /^concurrent\/futures\/thread\.py$/, functions: /^submit$/ },
  { file: /^threading\.py$/, functions: /^(?:notify|notify_all|release|set|start|acquire)$/ },
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
  // SQLite writes and locks its file there; other drivers wait for the answer
  { file: /^sqlalchemy\/engine\/default\.py$/, functions: /^do_(?:commit|rollback|begin|close)$/ },
  { file: /^logging\/__init__\.py$/, functions: /^(?:emit|flush|acquire)$/ },
]);

/** @param {import('../hotpath/rules.d.ts').FrameIdentity} frame innermost one */
export const isHandOver = ({ path, name }) =>
  HAND_OVERS.some(({ file, functions }) => functions.test(name) && file.test(path));
