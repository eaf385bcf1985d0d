/** @import { Statement } from '../run/facts/statement.d.ts' */
/** @import { Catalogue, Entry, Evidence, StatementText, StatementWords } from './text.d.ts' */

/**
 * The text of a statement, from the catalogue of its table.
 * @template Table, Text
 * @param {Catalogue<Table, Text>} catalogue
 * @param {Statement<Table>} statement
 * @returns {Text}
 */
export const say = (catalogue, { id, facts }) => catalogue[id](facts);

/**
 * Facts with the text that one function makes of them.
 * @template T, Text
 * @param {T} facts
 * @param {(facts: T) => Text} describe
 * @returns {T & {text: Text}}
 */
export const withText = (facts, describe) => ({ ...facts, text: describe(facts) });

/** The evidence of a statement, without empty values. @param {Entry[]} entries @returns {Evidence[]} */
export const listEvidence = entries =>
  entries.flatMap(([label, value]) => (value ? [{ label: `${label}`, value }] : []));

/** @param {StatementWords} words @returns {StatementText} */
export const wordStatement = ({ title, detail = null, evidence = [], advice = null, ...gain }) => ({
  title,
  detail,
  evidence: listEvidence(evidence),
  advice,
  ...gain,
});
