import { svg } from './dom.js';

const SPARK_WIDTH = 132;
const SPARK_HEIGHT = 30;

/**
 * The trend of a figure, without axes: the number beside it says how much.
 * @param {(number | null)[]} values over time
 * @param {string} color custom property
 */
export function sparkline(values, color) {
  const known = values.filter(value => value !== null);
  if (known.length < 2) return null;
  const top = Math.max(...known) || 1;
  const step = SPARK_WIDTH / Math.max(1, values.length - 1);
  let line = '';
  let open = false;
  for (const [index, value] of values.entries()) {
    if (value !== null) {
      const y = SPARK_HEIGHT - 2 - (value / top) * (SPARK_HEIGHT - 4);
      line += `${open ? 'L' : 'M'}${(index * step).toFixed(1)} ${y.toFixed(1)}`;
    }
    open = value !== null;
  }
  const picture = svg(
    'svg',
    {
      class: 'spark',
      viewBox: `0 0 ${SPARK_WIDTH} ${SPARK_HEIGHT}`,
      preserveAspectRatio: 'none',
      'aria-hidden': 'true',
      focusable: 'false',
    },
    svg('path', {
      class: 'spark-area',
      d: `${line}L${SPARK_WIDTH} ${SPARK_HEIGHT}L0 ${SPARK_HEIGHT}Z`,
    }),
    svg('path', { class: 'spark-line', d: line }),
  );
  picture.style.color = `var(${color})`;
  return picture;
}
