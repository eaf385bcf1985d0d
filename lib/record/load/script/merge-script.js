/** Artillery's `--environment`, `--overrides` and `--variables`, done before Artillery starts. */

/** @typedef {Record<string, any>} Script */

/**
 * Environments, then overrides, then variables: Artillery's order (prepare-test-execution-plan,
 * 2.0.34). Done here so that phases can be checked, and so that what stands in these flags does not
 * get into Artillery's argument list.
 * @param {Script} script is changed
 * @param {{environment?: string, overrides?: Script, variables?: Script, payload?: string}} options
 */
export function applyOptions(script, { environment, overrides, variables, payload }) {
  script.config ??= {};
  if (environment) {
    mergeInto(script.config, script.config.environments?.[environment] ?? {});
    // Artillery merges it again for `$environment`; an empty one does nothing then.
    script.config.environments = { [environment]: {} };
  }
  if (overrides) mergeInto(script, overrides, { replaceLists: true });
  if (variables) script.config.variables = { ...script.config.variables, ...variables };
  if (payload && isPlain(script.config.payload)) script.config.payload.path = payload;
}

/**
 * @param {Record<string, any>} into
 * @param {Record<string, any>} from
 * @param {{replaceLists?: boolean}} [options] else lists are merged item by item, as lodash does
 */
export function mergeInto(into, from, options = {}) {
  for (const [key, value] of Object.entries(from)) {
    if (key === '__proto__' || value === undefined) continue;
    const both = into[key];
    const mergeable =
      (isPlain(both) && isPlain(value)) ||
      (!options.replaceLists && Array.isArray(both) && Array.isArray(value));
    if (mergeable) mergeInto(both, value, options);
    else into[key] = structuredClone(value);
  }
}

/** @param {unknown} value @returns {value is Record<string, any>} */
export function isPlain(value) {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
