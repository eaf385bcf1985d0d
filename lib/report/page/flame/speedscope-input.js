/**
 * Gives the viewer of speedscope a profile, as if the reader had chosen a file: it has no other door
 * for data from a page.
 * @param {Document} viewer where it runs
 * @param {BlobPart} profile
 * @param {string} name
 */
export function giveToSpeedscope(viewer, profile, name) {
  const input = viewer.querySelector('input[type=file]');
  if (!input) throw new Error('the viewer of speedscope did not start');
  // left heavy: the order of its first view would be one of time, which merged stacks do not have
  viewer.defaultView?.dispatchEvent(new KeyboardEvent('keypress', { key: '2' }));
  const files = new DataTransfer();
  files.items.add(new File([profile], name));
  /** @type {HTMLInputElement} */ (input).files = files.files;
  input.dispatchEvent(new Event('change', { bubbles: true }));
}
