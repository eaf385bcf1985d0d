/** `junit.xml` for build servers (Jenkins, GitLab, Azure, GitHub Actions …). */
import { listPresent } from '../base/files/maps.js';
import { escapeXml } from '../base/files/xml-text.js';

/** @import { WordedThreshold } from '../text/thresholds.js' */

/** A result that passed or not. @typedef {Pick<WordedThreshold, 'endpoint' | 'expression' | 'status' | 'text' | 'place'>} JunitResult */

/**
 * One suite with a case for the run itself and one per threshold. Attributes and elements are those of
 * Ant's JUnit schema (every required attribute, in its order), which the others read too.
 * @param {object} facts
 * @param {string} facts.name of the run
 * @param {number} facts.startedAtMs epoch ms
 * @param {number} facts.durationMs
 * @param {string | null} facts.invalid why the run is not valid
 * @param {string | null} [facts.tooMany] what failed, if it is more than allowed
 * @param {JunitResult[]} facts.results
 * @returns {string} XML
 */
export function renderJunit({ name, startedAtMs, durationMs, invalid, tooMany = null, results }) {
  const cases = listPresent(
    testCase('loadflame', 'the run is valid', invalid ? element('error', 'invalid', invalid) : ''),
    tooMany && testCase('loadflame', 'failures', element('failure', 'failures', tooMany)),
    ...results.map(result => {
      const { endpoint, expression } = result;
      const title = endpoint === null ? expression : `${endpoint}: ${expression}`;
      return testCase(endpoint ?? 'thresholds', title, outcomeOf(result));
    }),
  );
  const failures = results.filter(({ status }) => status === 'fail').length + (tooMany ? 1 : 0);
  const skipped = results.filter(({ status }) => isSkipped(status)).length;
  const start = new Date(startedAtMs).toISOString().slice(0, 19);
  const counts = `tests="${cases.length}" failures="${failures}" errors="${invalid ? 1 : 0}" skipped="${skipped}"`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite package="loadflame" id="0" name="${escapeXml(name)}" timestamp="${start}" hostname="localhost" ${counts} time="${(durationMs / 1000).toFixed(3)}">
    <properties></properties>
${cases.join('\n')}
    <system-out></system-out>
    <system-err></system-err>
  </testsuite>
</testsuites>
`;
}

/** Neither passed nor failed: undecided. @param {WordedThreshold['status']} status */
function isSkipped(status) {
  return status === 'uncertain' || status === 'unknown';
}

/** @param {JunitResult} result */
function outcomeOf({ status, text, place }) {
  if (status === 'fail') return element('failure', 'threshold', `${text} (${place})`);
  return isSkipped(status)
    ? `<skipped message="${escapeXml(`${status === 'uncertain' ? 'uncertain: ' : ''}${text}`)}"/>`
    : '';
}

/**
 * @param {string} group
 * @param {string} name
 * @param {string} outcome
 */
function testCase(group, name, outcome) {
  return `    <testcase name="${escapeXml(name)}" classname="${escapeXml(group)}" time="0">${outcome}</testcase>`;
}

/**
 * @param {'failure' | 'error'} tag
 * @param {string} type
 * @param {string} message
 */
function element(tag, type, message) {
  return `<${tag} message="${escapeXml(message)}" type="${type}">${escapeXml(message)}</${tag}>`;
}
