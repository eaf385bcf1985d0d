import { contentStudy } from '../../helpers/synthetic-study/examples.js';
import { judgeSpec } from '../../helpers/synthetic-study/judge-spec.js';

/** @import { StudyReport } from '../../../lib/text/study-report.d.ts' */

/** Ends an element, a JSON block, a line of a table; drives a terminal; is a formula. */
export const HOSTILE =
  '=<img src=x onerror=alert(1)></script><script>alert(2)</script>\u2028\u001b[2J\u202e|"\'`\r\n';

/** Names that choose what is drawn, and those that things are found by. */
const KEPT = ['schema', 'id', 'name', 'variant', 'component', 'before', 'after', 'state', 'status'];
const WORDS = ['level', 'severity', 'model', 'unit', 'of', 'call', 'measure', 'bottleneck'];
const OTHERS = ['outcome', 'kind', 'link'];

/** A study whose texts are all hostile. @returns {StudyReport} */
export function hostileStudy() {
  const report = judgeSpec({
    ...contentStudy,
    repeats: 1,
    fate: ({ step }) => (step === 2 ? 'the target died' : 'measured'),
  });
  const kept = new Set([...KEPT, ...WORDS, ...OTHERS]);
  /** @param {unknown} value @param {string} key @returns {unknown} */
  const poison = (value, key) => {
    if (typeof value === 'string') return kept.has(key) ? value : `${HOSTILE}${value}${HOSTILE}`;
    if (Array.isArray(value)) return value.map(item => poison(item, key));
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, poison(item, name)]),
    );
  };
  return /** @type {StudyReport} */ (poison(report, ''));
}
