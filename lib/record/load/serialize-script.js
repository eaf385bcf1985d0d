/**
 * JSON that Artillery's YAML parser takes whatever it holds: it refuses some raw control characters.
 * @param {unknown} script
 */
export function serializeScript(script) {
  return JSON.stringify(script).replace(
    /[\u007f-\uffff]/g,
    char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
