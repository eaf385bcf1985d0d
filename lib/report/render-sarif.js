/** `--sarif`: SARIF 2.1.0, which code scanning of GitHub and others show beside the lines that they name. */
import { createHash } from 'node:crypto';
import { listAlerts } from '../text/alerts.js';
import { findOwnLines } from './own-lines.js';

/** @import { Alert } from '../text/alerts.js' */
/** @import { WordedReport } from '../text/worded-report.d.ts' */

/**
 * Never `error`: by default, GitHub fails the check of a pull request that has a new one. What fails a build is a
 * threshold or `loadflame try`, which know by how much runs differ.
 */
const LEVELS = /** @type {const} */ ({
  bad: 'warning',
  warn: 'warning',
  info: 'note',
  good: 'note',
});
/** Severities from 0 to 100, by which viewers sort. */
const RANKS = { bad: 75, warn: 50, info: 25, good: 0 };

/**
 * @param {WordedReport} report
 * @param {(file: string) => string | null} locate the path in the repository of a file that the profiler names; null
 *   for one that is not in it
 * @returns {Promise<string>} JSON; what is not in the repository is left out
 */
export async function renderSarif({ profile, generator }, locate) {
  const lines = profile ? await findOwnLines(profile.table, file => locate(file) !== null) : [];
  /** By identity: a function that two views reach has one alert. @type {Map<string, {alert: Alert, uri: string}>} */
  const found = new Map();
  for (const alert of listAlerts(profile?.causes ?? [], lines)) {
    const uri = locate(alert.file);
    const identity = JSON.stringify([alert.rule.id, uri, alert.function]);
    if (uri !== null && !found.has(identity)) found.set(identity, { alert, uri });
  }
  const rules = new Map([...found.values()].map(({ alert: { rule } }) => [rule.id, rule]));
  const ids = [...rules.keys()];
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: generator.name,
            version: generator.version,
            rules: [...rules.values()].map(describeRule),
          },
        },
        results: [...found].map(([identity, { alert, uri }]) => ({
          ruleId: alert.rule.id,
          ruleIndex: ids.indexOf(alert.rule.id),
          level: LEVELS[alert.severity],
          rank: RANKS[alert.severity],
          message: { text: alert.message },
          locations: [
            {
              physicalLocation: {
                artifactLocation: {
                  uri: uri.split('/').map(encodeURIComponent).join('/'),
                  uriBaseId: '%SRCROOT%',
                },
                region: { startLine: alert.line },
              },
              logicalLocations: [{ name: alert.function, kind: 'function' }],
            },
          ],
          // The one that GitHub compares. The line is not in it: a function's busiest line differs between runs.
          partialFingerprints: { primaryLocationLineHash: `${hash(identity)}:1` },
        })),
      },
    ],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

/** @param {Alert['rule']} rule */
function describeRule({ id, title, help }) {
  return {
    id,
    shortDescription: { text: title },
    fullDescription: { text: title },
    help: { text: help },
    properties: { tags: ['performance'] },
  };
}

/** @param {string} text */
const hash = text => createHash('sha256').update(text).digest('hex').slice(0, 16);
