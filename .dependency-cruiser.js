/**
 * Which folder of `lib/` imports which, for code and for types alike; `npm run check` holds it. lib/README.md says
 * what lives in each folder.
 */

/** Everything may import these; each imports only what stands before it. */
const BASE = ['facts', 'errors', 'errors\\.js', 'format\\.js', 'files', 'process'];

/** What else a folder, or a file beside the folders, may import. `.*`: everything. @type {Record<string, string[]>} */
const MAY_IMPORT = {
  run: [],
  config: ['run'],
  auth: ['config', 'run'],
  target: ['config', 'run'],
  preflight: ['auth', 'config', 'record', 'run', 'target'],
  math: [],
  record: ['config', 'math', 'run', 'target'],
  profile: [],
  hotpath: ['profile'],
  'sample-table': ['math'],
  bottleneck: ['math'],
  analysis: ['bottleneck', 'hotpath', 'math', 'profile', 'run', 'sample-table'],
  many: ['analysis', 'bottleneck', 'hotpath', 'math', 'profile', 'run', 'sample-table'],
  'login\\.js': ['auth', 'config', 'run'],
  'session\\.js': ['analysis', 'config', 'login\\.js', 'preflight', 'record', 'run', 'target'],
  study: [
    'analysis',
    'bottleneck',
    'config',
    'login\\.js',
    'many',
    'math',
    'preflight',
    'record',
    'run',
    'session\\.js',
    'target',
  ],
  try: [
    'analysis',
    'bottleneck',
    'config',
    'many',
    'math',
    'preflight',
    'process',
    'record',
    'run',
    'session\\.js',
    'study',
    'target',
  ],
  traffic: ['auth', 'math', 'run'],
  find: ['analysis', 'many', 'math', 'record', 'session\\.js', 'study', 'try'],
  text: [],
  report: ['math', 'sample-table', 'text'],
  live: ['analysis', 'report', 'run', 'text'],
  cli: ['.*'],
};

/** @param {string[]} names */
const inside = names => `^lib/(${names.join('|')})(/|$)`;

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'no-cycle',
      comment: 'of code; types of one folder may still need each other',
      severity: 'error',
      from: { path: '^lib/' },
      to: {
        circular: true,
        viaOnly: { dependencyTypesNot: ['jsdoc', 'type-only', 'type-import'] },
      },
    },
    {
      name: 'no-type-cycle',
      comment: 'nor of types, where they are untied',
      severity: 'error',
      from: { path: '^lib/(analysis|many|record|study)/' },
      to: { circular: true },
    },
    {
      name: 'stages-of-analysis',
      comment: 'read, load, profile, judge: none looks ahead',
      severity: 'error',
      from: { path: '^lib/analysis/(read|load|profile)/' },
      to: { path: '^lib/analysis/judge/' },
    },
    {
      name: 'stages-before-the-profile',
      severity: 'error',
      from: { path: '^lib/analysis/(read|load)/' },
      to: { path: '^lib/analysis/profile/' },
    },
    {
      name: 'known-folder',
      comment: 'each folder of lib/ stands in .dependency-cruiser.js',
      severity: 'error',
      from: { path: '^(bin|lib|research|scripts|test)/' },
      to: { path: '^lib/', pathNot: inside([...BASE, ...Object.keys(MAY_IMPORT)]) },
    },
    ...BASE.map((name, at) => forbid(name, BASE.slice(0, at))),
    ...Object.entries(MAY_IMPORT).map(([name, others]) => forbid(name, [...BASE, ...others])),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    detectJSDocImports: true,
    parser: 'tsc',
    tsConfig: { fileName: 'tsconfig.json' },
  },
};

/** @param {string} name @param {string[]} allowed */
function forbid(name, allowed) {
  return {
    name: `imports-of-${name.replace('\\', '')}`,
    severity: /** @type {const} */ ('error'),
    from: { path: inside([name]) },
    to: { path: '^lib/', pathNot: inside([name, ...allowed]) },
  };
}
