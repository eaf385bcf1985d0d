/**
 * Hooks of the csr scenarios. A hook may be written in any way: with a callback, as a plain function,
 * or as here, `async`, which `--engine artillery` understands, too.
 */

const HOUR_MS = 3_600_000;

/** Half an hour, some time tomorrow. @param {{vars: Record<string, any>}} context */
export async function setAppointmentTimes(context) {
  const start = Date.now() + 24 * HOUR_MS + Math.floor(Math.random() * 8) * HOUR_MS;
  context.vars.startTime = new Date(start).toISOString();
  context.vars.endTime = new Date(start + HOUR_MS / 2).toISOString();
  context.vars.laterEndTime = new Date(start + HOUR_MS).toISOString();
}
