/** The app's hot functions, line by line, for the page. */
import { formatMs, formatNumberOf, formatPercent, formatPlace } from '../../base/format.js';
import {
  amount,
  code,
  column,
  findSmall,
  item,
  lede,
  list,
  muted,
  onPage,
  paragraph,
  section,
  table,
} from './build.js';

/** @import { AnnotatedFunction } from '../../run/facts/profile-report.d.ts' */
/** @import { WordedReport } from '../worded-report.d.ts' */

const LEDE =
  'The functions of the app with the most time in them, as their source was during the run. CPU and waiting of a line include what it calls. Figures per request are means over all requests of the run.';
const CHANGED =
  'Not shown: this file was written to after the server started, so its lines are not those that ran.';
/** Smaller shares are left out, so that the large ones stand out. */
const LEAST_SHARE = 0.001;

/** @param {WordedReport} report */
export function describeSource({ profile, calls }) {
  const statements = calls?.statements.filter(({ kind }) => kind === 'sql') ?? [];
  const queries = Map.groupBy(statements, ({ file, line }) => `${file}\n${line}`);
  /** @param {AnnotatedFunction} own */
  const describe = ({ file, lines, isChanged, lineCount, share, waiting, ...own }) =>
    item(
      [
        code(own.function),
        muted(` ${formatPlace({ file, line: own.line })}`),
        `: ${sayShare(share) || '0 %'} of the CPU`,
        waiting >= LEAST_SHARE && `, ${formatPercent(waiting)} of the waiting`,
      ].filter(span => span !== false),
      {},
      isChanged && paragraph(CHANGED, 'empty'),
      lineCount > lines.length &&
        paragraph(`${lines.length} of ${formatNumberOf(lineCount, 'line')}.`),
      table(`Lines of ${own.function}`, lines, [
        column('line', ({ line, text }) => [muted(`${line}`.padStart(4)), code(`  ${text}`)]),
        amount(
          'CPU per request of the run',
          row => (row.cpuMs && sayShare(row.share) && formatMs(row.cpuMs)) || '',
        ),
        amount('of the CPU', row => sayShare(row.share)),
        amount('of the waiting', row => sayShare(row.waiting)),
        amount('queries per request of the run', ({ line }) => {
          const here = queries.get(`${file}\n${line}`) ?? [];
          const count = here.reduce((sum, own) => sum + own.count, 0);
          return calls && count > 0 ? (count / calls.whole.requests).toFixed(1) : '';
        }),
      ]),
    );
  const all = profile?.lines ?? [];
  const small = findSmall(
    all,
    'functions',
    ({ share }) => share,
    ({ waiting }) => waiting >= 0.02,
  );
  return onPage(
    section(
      'source',
      'Hot functions, line by line',
      profile?.lines && lede(LEDE),
      list(all.map(describe), undefined, small),
    ),
  );
}

/** @param {number} share */
const sayShare = share => (share < LEAST_SHARE ? '' : formatPercent(share));
