/** How a user came to be: a host puts an `Arrival` on its context under this key. */
export const ARRIVAL = Symbol('arrival');
