import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';
import { inlineModules } from '../../lib/report/inline-modules.js';

const PAGE = fileURLToPath(new URL('../../lib/report/page', import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), 'loadflame-inline-'));
test.after(() => rmSync(folder, { recursive: true }));

/** @param {Record<string, string>} files @returns {string} path of the first */
function writeModules(files) {
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
  return path.join(folder, Object.keys(files)[0] ?? '');
}

test('joins modules into one script, each once and before its users', () => {
  const entry = writeModules({
    'main.js':
      "import { double } from './double.js';\nimport { TWO } from './two.js';\n\nresult = double(TWO);\n",
    'double.js':
      "import {\n  TWO,\n} from './two.js';\n\nexport function double(n) {\n  return n * TWO;\n}\n",
    'two.js': 'export const TWO = 2;\n',
  });
  const script = inlineModules(entry);
  assert.equal(script.match(/const TWO/g)?.length, 1);
  const context = { result: 0 };
  vm.runInNewContext(script, context);
  assert.equal(context.result, 4);
});

test('modules may use one name for different things', () => {
  const entry = writeModules({
    'main.js':
      "import { first } from './first.js';\nimport { second as other } from './second.js';\n\nconst own = 1;\nresult = first() + other() + own;\n",
    'first.js': 'const own = 20;\n\nexport function first() {\n  return own;\n}\n',
    'second.js': 'const own = 300;\n\nexport const second = () => own;\n',
  });
  const context = { result: 0 };
  vm.runInNewContext(inlineModules(entry), context);
  assert.equal(context.result, 321);
});

test('a form of import or export that can not be inlined is refused', () => {
  for (const line of [
    "import all from './x.js';",
    "import * as all from './x.js';",
    "import './x.js';",
    'export default 1;',
    'export { a };',
    "export * from './x.js';",
  ]) {
    assert.throws(
      () => inlineModules(writeModules({ 'main.js': `${line}\n`, 'x.js': '' })),
      SyntaxError,
      line,
    );
  }
});

test('the page is one script that parses as a module and can stand in a script element', () => {
  const script = inlineModules(path.join(PAGE, 'main.js'));
  const folder = path.join(PAGE, 'styles');
  const style = readdirSync(folder)
    .map(name => readFileSync(path.join(folder, name), 'utf8'))
    .join('');
  assert.doesNotMatch(script, /<\/?script|<!--/i);
  assert.doesNotMatch(style, /<\//);
  assert.doesNotMatch(
    script,
    /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/,
  );
  assert.ok(script.length + style.length < 250_000, `${script.length + style.length} characters`);
});
