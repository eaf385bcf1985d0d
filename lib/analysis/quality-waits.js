/** How far one can trust what is said of waiting threads. */
import { formatNumberOf } from '../format.js';

/** Below this many looks only what nearly all threads do can be told. */
const FEW_LOOKS = 50;

/**
 * @param {import('./report.d.ts').ProfileReport} profile
 * @param {string[]} lost why looks are missing
 * @param {import('./quality.js').Add} add
 */
export function judgeWaits({ waits }, lost, add) {
  const [reason] = lost;
  if (reason) {
    const rest = waits ? 'for a while' : 'at all';
    add('waits', 'warn', `What threads wait for was not recorded ${rest}: ${reason}.`);
  }
  if (!waits) return;
  const looks = formatNumberOf(waits.looks, 'look at a worker', 'looks at workers');
  const few = waits.looks < FEW_LOOKS;
  add(
    'waits-looks',
    few ? 'warn' : 'ok',
    `What threads wait for rests on ${looks}, ${waits.rateHz} a second${few ? ': too few for more than the largest share' : ''}.`,
  );
}
