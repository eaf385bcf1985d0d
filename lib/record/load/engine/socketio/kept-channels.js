/** Which pushes a flow may ask for after they came; no others are kept in memory. */
import { holdsTemplate } from '../flow/template.js';

/**
 * @param {Record<string, any>[]} flow
 * @returns {(channel: string) => boolean}
 */
export function compileKeeps(flow) {
  const channels = collect(flow);
  if (channels.some(holdsTemplate)) return () => true;
  const known = new Set(channels);
  return channel => known.has(channel);
}

/** @param {unknown} steps @returns {any[]} */
function collect(steps) {
  if (!Array.isArray(steps)) return [];
  return steps.flatMap(step => {
    const own = step?.on === undefined ? [] : [step.on?.channel ?? step.on];
    return [...own, ...collect(step?.loop), ...collect(step?.parallel)];
  });
}
