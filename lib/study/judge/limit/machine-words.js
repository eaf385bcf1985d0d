/** Who used the machine, in words: the generator beside the target is part of the answer. */
import { formatCores } from '../../../format.js';
import { countComponent } from '../component-labels.js';
import { MANY_OTHERS } from '../find-others.js';

/** @import { StudyLimitFacts } from './limit-facts.d.ts' */

/** Cores: what uses less is not worth a word of its own. */
const WORTH_NAMING = 0.03;
const CARDINALS = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'];
const ORDINALS = ['', 'first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth'];

/**
 * "the two cores are full: 2 workers 1.42, load generator 0.31, PostgreSQL 0.15"
 * @param {StudyLimitFacts} facts @param {{isSentence?: boolean}} [options]
 */
export function decomposeMachine(facts, { isSentence = false } = {}) {
  const cpus = facts.host?.cpus ?? 0;
  const cores = cpus === 1 ? 'one core is' : `${CARDINALS[cpus] ?? cpus} cores are`;
  const parts = listParts(facts).map(({ label, cores: used }) => `${label} ${formatCores(used)}`);
  const doubt = hasOthers(facts)
    ? ' (others: no part of this study, or parts that it does not name)'
    : '';
  return `${isSentence ? 'The' : 'the'} ${cores} full: ${parts.join(', ')}${doubt}`;
}

/** What the target could have had, were it alone. @param {StudyLimitFacts} facts */
export function hasOthers({ components, otherCores }) {
  return components.length > 0 && (otherCores ?? 0) >= MANY_OTHERS;
}

/**
 * Who used how many cores, the most first; the rest last.
 * @param {StudyLimitFacts} facts
 * @returns {{label: string, cores: number}[]}
 */
export function listParts({ components, generatorCores, otherCores, stages }) {
  const named = [
    ...components.map(component => ({
      label: countComponent(component, { stages }),
      cores: component.cores,
    })),
    ...(generatorCores === null ? [] : [{ label: 'load generator', cores: generatorCores }]),
  ].sort((a, b) => b.cores - a.cores);
  const told = named.filter(({ cores }) => cores >= WORTH_NAMING);
  const small = named.reduce((sum, { cores }) => sum + (cores < WORTH_NAMING ? cores : 0), 0);
  const rest = Math.max(0, otherCores ?? 0) + small;
  const isKnown = components.length > 0;
  return rest >= WORTH_NAMING
    ? [
        ...told,
        { label: isKnown && rest >= MANY_OTHERS ? 'others' : 'everything else', cores: rest },
      ]
    : told;
}

/** "a third worker finds no core" @param {StudyLimitFacts} facts */
export function describeNextWorker({ workers }) {
  const next = Math.round(workers?.processes ?? 0) + 1;
  return `${ORDINALS[next] ? `a ${ORDINALS[next]}` : 'another'} worker finds no core`.replace(
    'a eighth',
    'an eighth',
  );
}
