/** "a, b and 3 more" @param {string[]} names @param {number} most */
export function nameFirst(names, most) {
  const more = names.length - most;
  return `${names.slice(0, most).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
