/** The first things to do about a run: each a finding with its line, its advice and the command that measures it. */
import { plainLine } from '../../base/files/plain-text.js';
import { item, list, only, paragraph, section } from './build.js';
import { explainFinding, sayProof } from './run-machine.js';

/** @import { CausePlace } from '../../run/facts/profile-report.d.ts' */
/** @import { WordedFinding } from '../worded-report.d.ts' */
/** @import { Section } from './document.d.ts' */

const MOST = 3;
/** Bottlenecks that may be the wait at one line. */
const OF_PLACE = ['external-call', 'pool', 'wait', 'database'];

/**
 * The first findings that a change of the API or of its server would mend, in their order. A cause inside of another one
 * counts once: the largest may be the smaller change. What each request does at a line of a cause is part of that, and a
 * call of a service at the line of the bottleneck, or a blocked loop that is the bottleneck, is the same.
 * @param {WordedFinding[]} findings ranked
 * @returns {WordedFinding[]}
 */
export function chooseActions(findings) {
  const parts = new Set();
  /** @type {CausePlace[]} */
  const places = [];
  const limit = findings.find(({ id, text }) => id === 'bottleneck' && text.advice)?.facts;
  return findings
    .filter(({ id, severity, facts, text }) => {
      const isSerious = ['bad', 'warn'].includes(severity) || (id === 'cause' && facts.isMuch);
      if (!isSerious || !text.advice || !text.proof) return false;
      const around = id === 'cause' ? facts.partOfTitle : null;
      if (around !== null && parts.has(around)) return false;
      if (limit && isOfBottleneck({ id, facts }, limit)) return false;
      if (id === 'act-per-request' && places.some(own => isAt(facts.act, own))) return false;
      if (id === 'cause') places.push(...(facts.cause.places ?? []));
      return parts.add(around);
    })
    .slice(0, MOST);
}

/** @param {{file: string | null, line: number | null}} act @param {CausePlace} place its line may not be known */
const isAt = ({ file, line }, place) =>
  `/${file}`.endsWith(`/${place.file}`) && [line, null].includes(place.line);

/** @param {any} finding @param {any} limit the bottleneck */
function isOfBottleneck({ id, facts: { call } }, limit) {
  if (id === 'event-loop-blocked') return limit.id === 'loop';
  const place = OF_PLACE.includes(limit.id) && limit.facts?.longestWait?.place;
  const kind = id === 'slow-call' ? 'http' : limit.id !== 'pool' && 'connect';
  return place?.line && call?.kind === kind && isAt(call, place);
}

/**
 * A finding that the headline names begins with its advice, so that no fact appears twice.
 * @param {WordedFinding[]} actions @param {WordedFinding[]} said @param {string} headline
 * @returns {Section | null}
 */
export function describeActions(actions, said, headline) {
  const items = actions.map((finding, at) => {
    const { advice, gain, proof } = finding.text;
    const todo = firstSentence(advice ?? '');
    const isSaid = said.includes(finding);
    const title = isSaid ? todo : finding.text.title;
    const above = [headline, ...actions.slice(0, at).map(own => own.text.proof?.place)].join(' ');
    return item(
      sayPlace({ title, proof }, above).join(' '),
      {
        level: finding.severity,
        copy: { text: writeAction(finding), shown: proof?.command ?? '' },
      },
      // outside of the page, only the largest says what to do and what it brings
      at === 0 && !isSaid && only(['short'], paragraph(todo)),
      at === 0 && only(['short'], paragraph(gain ?? '')),
      only(['short'], proof ? paragraph(sayProof({ ...proof, lacks: null })) : null),
      ...explainFinding(finding.text),
    );
  });
  const lacks = actions[0]?.text.proof?.lacks;
  const added = lacks ? `Add to the commands what they lack: ${lacks.slice('with '.length)}.` : '';
  return only(
    ['short', 'page'],
    section('actions', 'What to do first', list(items), paragraph(added)),
  );
}

/** The title, and its line where neither it nor what stands above has it. @param {Pick<WordedFinding['text'], 'title' | 'proof'>} text */
const sayPlace = ({ title, proof }, above = '') =>
  proof?.place && !`${above} ${title}`.replaceAll('`', '').includes(proof.place)
    ? [title, `At ${proof.place}.`]
    : [title];

/** For an issue, or a coding agent. @param {WordedFinding} finding */
function writeAction({ text: { title, detail, evidence, advice, gain, proof } }) {
  const lines = [
    ...sayPlace({ title, proof }),
    detail,
    ...evidence.map(({ label, value }) => `- ${label}: ${value}`),
    `What to do: ${advice}`,
    gain && `Would bring: ${gain}`,
    proof && `${proof.when}: ${proof.command}${proof.lacks ? `, ${proof.lacks}` : ''}`,
  ];
  return lines.flatMap(line => (line ? plainLine(line) : [])).join('\n');
}

/** Up to the first full stop before a space. @param {string} text */
const firstSentence = text => /^.*?\.(?= |$)/s.exec(text)?.[0] ?? text;
