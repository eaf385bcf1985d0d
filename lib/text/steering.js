/** What a page of a running load says of its control. */
/** @import { LoadControl, NotSteerable } from '../run/facts/steering.d.ts' */

/** @type {Record<NotSteerable['why'], string>} */
const WHY = {
  between: 'A page of `loadflame test --live` can change its own load while a phase runs.',
  phase: 'This phase cannot be changed: it has a ramp, a number of arrivals, or none.',
  sender: 'A load that Artillery or several machines send cannot be changed.',
};

/** @param {LoadControl} control */
export function wordControl(control) {
  if ('why' in control) return { ...control, text: WHY[control.why] };
  const { phase, of, now, most } = control;
  const unit = of === 'users' ? 'users' : 'users/s';
  const text = `now ${now} ${unit}, at most ${most} as in the script`;
  return { ...control, label: `Load of ${phase}, ${unit}`, text };
}
