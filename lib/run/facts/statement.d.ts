/**
 * The results of analysis, the bottleneck engine, comparisons and studies: ids with facts (numbers with units,
 * intervals, names), never a sentence. For each id, `lib/text/` has one function that turns the facts into English.
 */

export type Severity = 'bad' | 'warn' | 'info' | 'good';

/**
 * One statement of a table `{id: facts}`. `Extra` is what every statement of the table has in addition (a severity, a
 * level).
 */
export type Statement<Table, Extra = unknown> = {
  [Id in keyof Table]: { id: Id; facts: Table[Id] } & Extra;
}[keyof Table];

/** The statement with one particular id. */
export type StatementOf<Table, Id extends keyof Table, Extra = unknown> = {
  id: Id;
  facts: Table[Id];
} & Extra;
