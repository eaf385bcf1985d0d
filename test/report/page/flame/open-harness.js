import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { readPageStyles, renderDocument } from '../../../../lib/report/html-document.js';
import { inlineModules } from '../../../../lib/report/inline-modules.js';
import { readSpeedscopeViewer } from '../../../../lib/report/speedscope-viewer.js';
import { preparePages } from '../prepare-pages.js';

/** For tests of the flamegraph alone: its page, with a table or a differential flame as data. */
export function prepareFlamePages() {
  const { skip, folder, openFile } = preparePages();
  const viewer = readSpeedscopeViewer();
  let pages = 0;
  /**
   * @param {'flame-harness' | 'diff-harness'} harness
   * @param {{id: string, value: unknown}} data
   * @param {Parameters<typeof openFile>[1]} [look]
   */
  const openHarness = async (harness, data, look) => {
    const file = path.join(folder, `${harness} ${++pages}.html`);
    const entry = fileURLToPath(new URL(`${harness}.js`, import.meta.url));
    writeFileSync(
      file,
      renderDocument({
        title: harness,
        styles: [readPageStyles(['flame', 'panels'])],
        scripts: [{ text: inlineModules(entry), module: true }],
        data: { [data.id]: data.value, speedscope: viewer.packed },
        framed: { scripts: [viewer.script], styles: [viewer.style] },
        wasm: true,
      }),
    );
    const opened = await openFile(file, look);
    await opened.page.waitForSelector('canvas');
    return opened;
  };
  return { skip, openHarness };
}
