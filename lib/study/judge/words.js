/** Small words of the sentences of a study. */
import { formatNumberOf, formatRate } from '../../format.js';

/** "a, b and c" @param {string[]} words */
export function joinWords(words) {
  const last = words.at(-1) ?? '';
  return words.length > 1 ? `${words.slice(0, -1).join(', ')} and ${last}` : last;
}

/** "1 user", "100/s" @param {number} step @param {'closed' | 'open'} model */
export function describeStep(step, model) {
  return model === 'closed' ? formatNumberOf(step, 'user') : formatRate(step);
}

/** @param {string} text */
export function capitalize(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** @param {string} text */
export function endSentence(text) {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
