/** Templates in a text: `{{ name }}`. The caller decides what a name means. */

// With `\s*` beside the name, long spaces would take cubic time.
const TEMPLATE = /\{\{([^{}]*)\}\}/g;
const ONE_TEMPLATE = /^\{\{([^{}]*)\}\}$/;

/**
 * @param {string} text
 * @param {(name: string, template: string) => string} replace returns the template itself to keep it
 */
export function replaceTemplates(text, replace) {
  return text.replace(TEMPLATE, (template, name) => replace(name.trim(), template));
}

/** `$env.NAME`, or Artillery's `$processEnvironment.NAME`. */
const ENVIRONMENT = /^\$(?:env|processEnvironment)\.(\w+)$/;

/** The variable that a template takes from the environment. @param {string} template @returns {string | null} */
export function findVariable(template) {
  return ENVIRONMENT.exec(template)?.[1] ?? null;
}

/** The names in a text, in order. @param {unknown} text @returns {string[]} */
export function listTemplates(text) {
  if (typeof text !== 'string') return [];
  return [...text.matchAll(TEMPLATE)].map(([, name = '']) => name.trim());
}

/** The name, if the text is one template and nothing else. @param {string} text @returns {string | null} */
export function findOnlyTemplate(text) {
  return ONE_TEMPLATE.exec(text)?.[1]?.trim() ?? null;
}
