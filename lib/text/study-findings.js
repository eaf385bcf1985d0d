/** Findings of a study, beside its figures. */
import {
  formatCores,
  formatCount,
  formatMs,
  formatNumberOf,
  formatPercent,
  formatRate,
} from '../base/format.js';
import { say } from './say.js';
import { describeSpike } from './study-variant.js';
import { STUDY_REASONS } from './study-verdict.js';

/** @import { StudyFindingTable } from '../run/facts/study-report.d.ts' */
/** @import { Catalogue, StatementWords } from './text.d.ts' */

/** @param {string} label @param {number} share @param {number} step */
const atStep = (label, share, step) => [
  label,
  `${formatPercent(share)} at step ${formatCount(step)}`,
];

/** @type {Catalogue<StudyFindingTable, StatementWords>} */
export const STUDY_FINDINGS = {
  'cells-lost': ({ lost, cells, reasons, first }) => ({
    title: `${formatNumberOf(lost, 'cell')} of ${formatCount(cells)} could not be measured.`,
    detail: reasons.map(reason => say(STUDY_REASONS, reason)).join('; '),
    evidence: first.map(({ variant, step, repeat, outcome, reason }) => [
      `${variant}, step ${formatCount(step)}, repeat ${repeat}`,
      outcome === 'missing' ? 'the study ended before it' : (reason ?? 'it failed'),
    ]),
    advice: 'The same command resumes with what is missing.',
  }),
  'generator-limit': ({ of, variants }) => ({
    title: `The load generator was the bottleneck in ${formatNumberOf(variants.length, 'variant')} of ${formatCount(of)}.`,
    detail:
      'From there on throughput and latency are those of the generator. These steps only show that the target takes at least this much.',
    evidence: variants.map(({ label, step }) => [label, `from step ${formatCount(step)} on`]),
    advice:
      'Run loadflame on a machine of its own, with more workers, or with a script that costs it less.',
  }),
  'request-errors': ({ variants }) => {
    const [worst] = variants;
    return {
      title: `Requests failed: up to ${formatPercent(worst?.errorRate ?? null)} at step ${formatCount(worst?.step ?? null)}${variants.length > 1 ? ` (${worst?.label})` : ''}.`,
      detail:
        'Throughput counts successful responses only. An error is often cheaper than a response, so CPU per transaction and latency of these steps are not those of the work.',
      evidence: variants.map(({ label, step, errorRate }) => atStep(label, errorRate, step)),
      advice: "The report of such a cell's run shows which errors they were.",
    };
  },
  'dropped-arrivals': ({ variants }) => ({
    title: 'Arrivals were dropped, because all virtual users were still active.',
    detail: 'The target got less load than the step says.',
    evidence: variants.map(({ label, step, droppedRate }) => atStep(label, droppedRate, step)),
  }),
  'background-load': ({ variants }) => ({
    title: `Background load used up to ${formatCores(variants[0]?.cores ?? null)} cores of the machine.`,
    detail:
      'It comes from other programs, or from parts of the target that the study does not name. The target could not use that CPU, so throughput and latency are worse than they should be, by an unknown amount. CPU per transaction contains no waiting, but can be twice that of an idle machine: programs share its caches.',
    evidence: variants.map(({ label, cores }) => [label, `${formatCores(cores)} cores`]),
    advice:
      'Stop other programs, or name the missing parts below `record: processes:`, and measure again.',
  }),
  spike: facts => ({
    title: describeSpike(facts),
    detail:
      'The other endpoints get the same rate before, during and after the spike. An endpoint is slower if its p95 was clearly longer in the spike in more than half of the repeats. After it, the backlog is worked off.',
    evidence: facts.variants.flatMap(({ label, felt }) =>
      (felt?.victims ?? []).map(({ name, p95Ms: { before, during, after } }) => [
        `${label === null ? '' : `${label}, `}${formatRate(felt?.step ?? null)}: ${name}`,
        `p95 ${formatMs(before)} → ${formatMs(during)}, after it ${formatMs(after)}`,
      ]),
    ),
    advice: facts.variants.some(({ felt }) => felt)
      ? `Move what ${facts.endpoint} waits for out of the request (a queue), or give it workers of its own.`
      : null,
  }),
};
