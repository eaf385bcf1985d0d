/** A value as it stands in an error: short, on one line. @param {unknown} value */
export function showValue(value) {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (value !== null && typeof value === 'object') return 'a map';
  const text = JSON.stringify(value) ?? String(value);
  return text === 'null' ? 'empty' : text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
