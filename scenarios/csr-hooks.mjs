/**
 * Hooks of the csr scenarios. A hook may be written in any way: with a callback, as a plain function,
 * or as here, `async`, which `--engine artillery` understands, too.
 */

/** What users took last: a slot that is listed as free may be on its way to another of them. */
const recent = new Set();

/**
 * Two free slots of the office: one for an appointment, and one to which it is moved.
 * @param {{vars: Record<string, any>}} context `slots` and `timezone` are as the API gave them
 */
export async function chooseSlots({ vars }) {
  const listed = Object.entries(vars.slots).flatMap(([day, slots]) =>
    slots.map((/** @type {{start_time: string, end_time: string}} */ slot) => ({ day, ...slot })),
  );
  if (listed.length < 2) throw new Error('the office has fewer than two free slots');
  const most = Math.min(listed.length / 2, listed.length - 2);
  for (const name of recent) if (recent.size > most) recent.delete(name);
  const free = listed.filter(({ day, start_time }) => !recent.has(`${day} ${start_time}`));
  const clock = clockOf(process.env.OFFICE_TIMEZONE || vars.timezone);
  for (const [start, end] of /** @type {const} */ ([
    ['startTime', 'endTime'],
    ['otherStartTime', 'otherEndTime'],
  ])) {
    const [slot] = free.splice(Math.floor(Math.random() * free.length), 1);
    recent.add(`${slot.day} ${slot.start_time}`);
    vars[start] = toUtc(slot.day, slot.start_time, clock);
    vars[end] = toUtc(slot.day, slot.end_time, clock);
  }
}

/**
 * @param {string} day `12/31/2030` @param {string} time `09:30` @param {Intl.DateTimeFormat} clock
 * @returns {string} ISO 8601
 */
function toUtc(day, time, clock) {
  const [month, date, year] = day.split('/');
  const wanted = Date.parse(`${year}-${month}-${date}T${time}Z`);
  const shownAt = (/** @type {number} */ at) => Date.parse(`${clock.format(at)}Z`);
  // The second look is for days on which the clock is changed.
  const near = wanted + wanted - shownAt(wanted);
  return new Date(near + wanted - shownAt(near)).toISOString();
}

// -- Clocks of time zones, as `2030-12-31 09:30:00`. The first one takes long to make: before any load.

const clocks = new Map();
clockOf('UTC');

/** @param {string} timeZone @returns {Intl.DateTimeFormat} */
function clockOf(timeZone) {
  if (!clocks.has(timeZone)) {
    const style = /** @type {const} */ ({ dateStyle: 'short', timeStyle: 'medium' });
    clocks.set(timeZone, new Intl.DateTimeFormat('sv', { timeZone, ...style }));
  }
  return clocks.get(timeZone);
}
