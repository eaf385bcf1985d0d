/** The rooms of `lib/` as data: which may import which. lib/README.md says what lives in each. */

/** What all others may import. */
export const COMMON = ['errors.js', 'format.js', 'facts', 'files', 'process'];

/** Room, or file beside the rooms → what it may import. `*`: all. @type {Record<string, string[]>} */
export const MAY_IMPORT = {
  cli: ['*'],
  'session.js': ['analysis', 'config', 'login.js', 'preflight', 'record', 'run', 'target'],
  'login.js': ['auth', 'run'],
  facts: [],
  files: [],
  process: [],
  config: ['run'],
  auth: ['config'],
  target: [],
  preflight: ['auth', 'config', 'record', 'run', 'target'],
  record: ['math', 'run', 'target'],
  run: [],
  profile: [],
  hotpath: ['profile'],
  math: [],
  'sample-table': ['math'],
  bottleneck: ['math'],
  analysis: ['bottleneck', 'hotpath', 'math', 'profile', 'run', 'sample-table'],
  compare: ['analysis', 'bottleneck', 'math', 'profile', 'run', 'sample-table'],
  thresholds: ['analysis', 'bottleneck', 'compare', 'hotpath', 'math'],
  cluster: ['analysis', 'bottleneck', 'math', 'run', 'session.js'],
  study: [
    'analysis',
    'bottleneck',
    'compare',
    'config',
    'login.js',
    'math',
    'preflight',
    'record',
    'run',
    'session.js',
    'target',
  ],
  text: [],
  report: ['math', 'sample-table', 'text'],
};

/**
 * Rooms that give facts: ids, numbers, units and names. What is said about them stands in `lib/text/`, so
 * no file here holds a sentence or lays out a number for people.
 */
export const FACTS = ['analysis', 'bottleneck', 'compare', 'study', 'thresholds'];

/** Files of these rooms with sentences of another kind, and why. A path that ends in `/` is a folder. @type {[string, string][]} */
export const SPEAKS = [
  ['lib/study/run/', 'progress, said while a study runs; nothing of it is in a report'],
  ['lib/study/study-file/', 'what is wrong in a study file, said where it is found'],
  ['lib/study/lists/', 'the same, of what a target lists'],
  ['lib/study/services/', 'the same, of a service that can not be started'],
  ['lib/thresholds/read-thresholds.js', 'what is wrong in a thresholds file'],
  ['lib/analysis/costs/name-words.js', 'words of which names of endpoints are made'],
  ['lib/analysis/logs/tracebacks.js', 'what Python writes'],
  ['lib/study/measure/count-responses.js', 'names that engines give to errors'],
];

/** Files that write and make folders by themselves, and why. All others do so through the first two. @type {[string, string][]} */
export const WRITES = [
  ['lib/files/own-files.js', 'the one that opens'],
  ['lib/files/replace-file.js', 'the one that replaces'],
  ['lib/files/temp-folder.js', 'the one that makes temporary folders'],
  ['lib/files/regular-file.js', 'the one that opens for reading what others may have written'],
  ['lib/cli/commands/init.js', "files of the user's project, at places that were typed"],
  ['lib/cli/write-starter.js', 'the same'],
  ['lib/cli/commands/companion.js', 'the same'],
  ['lib/record/load/generator/reporting.js', '`--output`, at a place that was typed'],
  ['lib/record/load/artillery/run-artillery.js', 'the same'],
];
