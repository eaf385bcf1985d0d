import { plainLine } from '../../files/plain-text.js';
import { formatPercent, formatRate, formatRoughShare } from '../../format.js';
import { sign } from './sign.js';
import { drawBar, padEnd, padStart, shortenText, textWidth, wrapText } from './text.js';

/** @import { WordedReport, WordedWaits } from '../../text/worded-report.d.ts' */
/** @import { StatementText } from '../../text/text.d.ts' */
/** @import { Paint } from './text.js' */

/** The page shows them all. */
const KINDS_SHOWN = 4;
const FIXES_SHOWN = 4;
const BAR = 20;

/**
 * What the threads of the API wait for, what to do about the bottleneck, and what a fix would buy. The
 * bottleneck itself is a sentence of the verdict.
 * @param {WordedReport} report
 * @param {number} width
 * @param {Paint} paint
 * @returns {string[]}
 */
export function bottleneckLines({ bottleneck, whatIf, profile }, width, paint) {
  const advice = bottleneck?.text.advice;
  const parts = [
    profile?.waits && profile.waits.kinds.length > 0 ? waitLines(profile.waits, width, paint) : [],
    advice ? wrapText(advice, width, `  ${paint('green', '→ ')}`) : [],
    fixLines(whatIf, width, paint),
  ].filter(({ length }) => length > 0);
  if (parts.length === 0) return [];
  return [paint('bold', 'The bottleneck, and what a fix would buy'), ...parts.flat()];
}

/** @param {WordedWaits} waits @param {number} width @param {Paint} paint */
function waitLines({ kinds, busySlots, slots, inFlight, busyThreads }, width, paint) {
  const busy = slots === null ? (inFlight ?? busyThreads) : busySlots;
  const few = busy < 0.1 ? 'hardly any' : busy.toFixed(1);
  const base =
    slots === null
      ? `${few} requests were in progress on average${inFlight == null ? '' : ' (the client: rate × time)'}; of their time went to`
      : `${few} of ${slots} threads of the workers were inside a request on average; of their time went to`;
  const shown = kinds.slice(0, KINDS_SHOWN);
  const shares = shown.map(({ share }) => formatRoughShare(share));
  const shareWidth = Math.max(...shares.map(textWidth));
  const room = Math.max(12, Math.min(34, width - BAR - shareWidth - 6));
  return [
    ...wrapText(base, width, '  ').map(line => paint('dim', line)),
    ...shown.flatMap(({ id, text, share, where }, index) => {
      const bar = paint('cyan', padEnd(drawBar(share.value, BAR), BAR));
      const name = padEnd(shortenText(plainLine(text), room), room);
      const [place] = id === 'cpu' ? [] : where;
      return [
        `  ${name}  ${bar}  ${padStart(shares[index] ?? '', shareWidth)}`,
        ...(place
          ? wrapText(`most in ${place.function} (${place.file})`, width, '    ').map(line =>
              paint('dim', line),
            )
          : []),
      ];
    }),
  ];
}

/** @param {WordedReport['whatIf']} whatIf @param {number} width @param {Paint} paint */
function fixLines(whatIf, width, paint) {
  const told = whatIf.slice(0, FIXES_SHOWN).flatMap(item => {
    const { share, gain, capacityPerSec, capacityAfterPerSec } = item;
    if (!gain || !capacityPerSec || !capacityAfterPerSec) return [];
    const range = `${formatPercent(gain.low)} to ${formatPercent(gain.high)}`;
    const text = `without ${item.text.title} (${formatRoughShare(share)}): up to ${formatRate(capacityAfterPerSec.value)} instead of ${formatRate(capacityPerSec.value)}, ${range} more`;
    return wrapText(text, width, '  ');
  });
  const condition = whatIf[0]?.text.condition;
  if (!condition) return [];
  const conditionLine = wrapText(
    told.length > 0 ? condition : `A smaller cost of CPU: ${condition}.`,
    width,
    '  ',
  ).map(line => paint('dim', line));
  return [...told, ...conditionLine];
}

/**
 * What stood out: of each its sentence, the evidence, what to do and what that would bring.
 * @param {{severity: string, text: StatementText}[]} findings
 * @param {number} width
 * @param {Paint} paint
 */
export function findingLines(findings, width, paint) {
  if (findings.length === 0) return [];
  return [
    paint('bold', 'Findings'),
    ...findings.flatMap(({ severity, text: { title, evidence, advice, gain } }) => [
      ...wrapText(title, width, sign(severity, paint)),
      ...evidence
        .flatMap(({ label, value }) => wrapText(`${label}: ${value}`, width, '    '))
        .map(line => paint('dim', line)),
      ...(advice ? wrapText(advice, width, `  ${paint('green', '→ ')}`) : []),
      ...(gain ? wrapText(`would bring: ${gain}`, width, '    ') : []),
    ]),
  ];
}
