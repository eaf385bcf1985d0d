import { unpackBytes } from '../../../analysis/sample-table/unpack.js';
import { speedscopeOf } from '../../../analysis/stacks/write-selection.js';
import { h, makeButton } from '../dom.js';

/** @import { Packed, SampleCounts, Samples } from '../../../run/facts/sample-table.d.ts' */

/**
 * Shows the speedscope viewer over the page, without the network: the output of `speedscope-viewer.js`
 * in a frame.
 * @param {{script: Packed, style: string, notice: string}} viewer
 * @returns {{element: HTMLElement, open: (profile: string, name: string) => Promise<void>}}
 */
function makeSpeedscopeOverlay(viewer) {
  const title = h('strong', { id: 'speedscope-title' }, 'speedscope');
  const close = makeButton('Close', () => dialog.close());
  const dialog = h(
    'dialog',
    { class: 'speedscope', 'aria-labelledby': 'speedscope-title' },
    h('header', {}, title, close),
  );
  // a removed frame frees its memory
  dialog.addEventListener('close', () => dialog.querySelector('iframe')?.remove());
  return {
    element: dialog,
    async open(profile, name) {
      if (dialog.open) return;
      title.textContent = `speedscope: ${name}`;
      dialog.showModal();
      const script = new TextDecoder().decode(await unpackBytes(viewer.script));
      const frame = h('iframe', { title: 'speedscope' });
      frame.srcdoc = '<!doctype html><title>speedscope</title>';
      const loaded = new Promise(done => frame.addEventListener('load', done, { once: true }));
      dialog.append(frame);
      await loaded;
      const inner = frame.contentWindow;
      const document = frame.contentDocument;
      if (!inner || !document) return;
      document.documentElement.lang = 'en';
      document.head.append(
        document.createComment(viewer.notice),
        // it adds its own rules to a style element of this name
        fillFrame(document, 'style', viewer.style, { 'data-aphrodite': '' }),
      );
      document.body.append(fillFrame(document, 'script', script));
      giveToSpeedscope(document, profile, `${name}.speedscope.json`);
      inner.addEventListener('keydown', event => {
        if (event.key === 'Escape' && document.activeElement?.tagName !== 'INPUT') dialog.close();
      });
      inner.focus();
    },
  };
}

/**
 * Opens selections in the viewer that the page carries.
 * @param {() => Samples | null} read the samples that the flamegraph shows
 * @param {{name: string, rateHz: number | null}} about
 * @returns {((counts: SampleCounts) => void) | null} null if the page has no viewer
 */
export function makeSpeedscopeOpener(read, { name, rateHz }) {
  const data = document.getElementById('speedscope')?.textContent;
  if (!data) return null;
  /** @type {ReturnType<typeof makeSpeedscopeOverlay> | null} */
  let overlay = null;
  return counts => {
    const samples = read();
    if (!samples) return;
    if (!overlay) {
      overlay = makeSpeedscopeOverlay(JSON.parse(data));
      document.body.append(overlay.element);
    }
    const isWhole = counts.total === samples.table.totalSamples;
    const title = isWhole ? name : `${name}, selection`;
    void overlay.open(speedscopeOf(samples, counts, { name: title, rateHz }), title);
  };
}

/**
 * Gives the speedscope viewer a profile as if the reader had chosen a file: it has no other input
 * for data from a page.
 * @param {Document} viewer where it runs
 * @param {BlobPart} profile
 * @param {string} name
 */
export function giveToSpeedscope(viewer, profile, name) {
  const input = viewer.querySelector('input[type=file]');
  if (!input) throw new Error('the viewer of speedscope did not start');
  // "left heavy": its first view is ordered by time, which merged stacks do not have
  viewer.defaultView?.dispatchEvent(new KeyboardEvent('keypress', { key: '2' }));
  const files = new DataTransfer();
  files.items.add(new File([profile], name));
  /** @type {HTMLInputElement} */ (input).files = files.files;
  input.dispatchEvent(new Event('change', { bubbles: true }));
}

/**
 * @param {Document} document
 * @param {'style' | 'script'} tag
 * @param {string} text
 * @param {Record<string, string>} [attributes]
 */
function fillFrame(document, tag, text, attributes = {}) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.textContent = text;
  return element;
}
