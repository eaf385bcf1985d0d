/** Source code, as the checks read it. */
import { readFileSync } from 'node:fs';
import ts from 'typescript';

/** @param {string} file */
export const parseSource = file =>
  ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);

/** The text of a string or a template, in which `x` stands for what is inserted; '' of another node. @param {ts.Node} node */
export function readString(node) {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return '';
  const parts = [node.head, ...node.templateSpans.map(({ literal }) => literal)];
  return parts.map(({ text }) => text).join('x');
}
