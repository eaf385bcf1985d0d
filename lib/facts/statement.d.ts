/**
 * What analysis, the bottleneck engine, comparisons and studies know: ids with facts (numbers with their
 * units, intervals, names), never a sentence. `lib/text/` has one function for each id that makes the
 * English of the facts.
 */

export type Severity = 'bad' | 'warn' | 'info' | 'good';

/**
 * One of the statements of a table `{id: facts}`. `Extra` is what every statement of that table has
 * beside its id and facts (a severity, a level).
 */
export type Statement<Table, Extra = unknown> = {
  [Id in keyof Table]: { id: Id; facts: Table[Id] } & Extra;
}[keyof Table];

/** The statement of one id. */
export type StatementOf<Table, Id extends keyof Table, Extra = unknown> = {
  id: Id;
  facts: Table[Id];
} & Extra;
