/** What every report of a partial run has to tell, wherever it is read. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describePartial } from '../../lib/text/quality.js';

/**
 * @param {import('./scene.js').Run} run
 * @param {string} terminal what was printed
 * @param {(string | RegExp)[]} reasons
 */
export function assertPartial(run, terminal, reasons) {
  const report = run.readReport();
  assert.equal(report.run.status, 'partial');
  assert.match(terminal, /[Pp]artial run/);
  const html = readFileSync(run.files.reportHtml, 'utf8');
  const flat = terminal.replace(/\s+/g, ' ');
  const said = report.run.reasons.map(describePartial);
  for (const expected of reasons) {
    const reason = said.find(text =>
      typeof expected === 'string' ? text === expected : expected.test(text),
    );
    assert.ok(reason, `${expected} is not among: ${said.join('; ')}`);
    assert.ok(html.includes(reason), `report.html does not say "${reason}"`);
  }
  assert.equal(said.length, reasons.length, said.join('; '));
  // The short form has no room for all.
  assert.ok(
    said.some(reason => flat.includes(reason)),
    `the terminal says no reason:\n${terminal}`,
  );
}

/** @param {import('./scene.js').Run} run */
export function assertComplete(run) {
  const { run: facts } = run.readReport();
  assert.deepEqual([facts.status, facts.reasons], ['complete', []]);
  const { status, reasons } = run.readManifest();
  assert.deepEqual([status, reasons], ['complete', []]);
  assert.ok(existsSync(run.files.reportHtml));
}
