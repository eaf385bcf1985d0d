/** @import { Statement } from '../run/facts/statement.d.ts' */
/** @import { Catalogue } from './text.d.ts' */

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
