/** Did the comparison see the fix, and had the first run foreseen it? */
import { formatChange, formatChangeInterval, formatPercent } from '../../lib/base/format.js';
import { nameCauses, sayWhatIf } from '../../lib/text/what-if.js';

/** @import { Report } from '../../lib/run/facts/report.d.ts' */
/** @import { CompareReport } from '../../lib/run/facts/compare-report.d.ts' */

/**
 * @param {CompareReport} comparison
 * @param {Report} first run of the side before
 * @returns {{lines: string[], isGood: boolean}}
 */
export function judgeFix({ changes }, first) {
  const auth = changes.find(
    ({ scope, name, measure }) =>
      scope === 'category' && name === 'auth' && measure === 'cpuMsPerRequest',
  );
  const throughput = changes.find(
    ({ scope, measure }) => scope === 'overall' && measure === 'throughputPerSec',
  );
  const foreseen = findAuthWhatIf(first);
  const gain = throughput?.relative ?? null;
  const hasFallen = auth?.call === 'better';
  const isForeseen =
    gain !== null &&
    foreseen?.gain?.low != null &&
    foreseen.gain.high !== null &&
    gain.value >= foreseen.gain.low &&
    gain.value <= foreseen.gain.high;
  const describe = (/** @type {typeof auth} */ change) =>
    change?.relative
      ? `${formatChange(change.relative.value)} (95 %: ${formatChangeInterval(change.relative)}), p = ${change.p?.toFixed(4)}, ${change.call}`
      : 'not known';
  return {
    isGood: hasFallen && isForeseen,
    lines: [
      `${hasFallen ? '✔' : '✖'} CPU time of authentication per request: ${describe(auth)}`,
      `  throughput: ${describe(throughput)}`,
      foreseen?.gain
        ? `${isForeseen ? '✔' : '✖'} the first run foresaw ${formatChange(foreseen.gain.value)} (${formatChangeInterval(foreseen.gain)}) without “${nameCauses(foreseen.titles)}” (${formatPercent(foreseen.share.value)} of CPU)`
        : `✖ the first run foresaw nothing: ${foreseen ? sayWhatIf(foreseen).condition : 'no what-if'} (bottleneck: ${first.bottleneck?.id})`,
    ],
  };
}

/** What the fix takes away: the causes of authentication, together where the report counts them so. @param {Report} report */
function findAuthWhatIf({ whatIf, profile }) {
  const ofAuth = new Set(
    profile?.causes.filter(({ category }) => category === 'auth').map(({ id }) => id),
  );
  return whatIf
    .filter(({ causes }) => causes.every(id => ofAuth.has(id)))
    .toSorted((a, b) => b.share.value - a.share.value)[0];
}
