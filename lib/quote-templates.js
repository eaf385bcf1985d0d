import { isCollection, isMap, isScalar, Scalar, visit } from 'yaml';

/**
 * `maxVusers: {{ x }}` without quotes is, to YAML, a map whose key is a map, and Artillery makes
 * NaN of it. What was meant is plain, so it is read as if it had been quoted.
 * @param {import('yaml').Document} document
 */
export function quoteTemplates(document) {
  visit(document, {
    Map(_, node) {
      const inner = onlyKey(node);
      const name = isMap(inner) ? onlyKey(inner) : undefined;
      if (!isScalar(name)) return undefined;
      const scalar = new Scalar(`{{ ${name.value} }}`);
      scalar.range = node.range;
      return scalar;
    },
  });
}

/** The key of `{ key }`: a flow map with one key and no value. @param {import('yaml').YAMLMap} map */
function onlyKey(map) {
  const [pair] = map.items;
  if (!isCollection(map) || !map.flow || map.items.length !== 1) return undefined;
  const empty = pair?.value === null || (isScalar(pair?.value) && pair.value.value === null);
  return empty ? pair?.key : undefined;
}
