/** A client of another protocol counts what it does. */
/** @type {(context: unknown, events: import('node:events').EventEmitter, next: () => void) => void} */
exports.ping = (_context, events, next) => {
  events.emit('counter', 'own.pings', 1);
  next();
};
