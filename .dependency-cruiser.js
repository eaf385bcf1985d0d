/**
 * The nine rooms of `lib/`, in the order in which data passes through them, and which of the others each imports, for
 * code and for types alike; `npm run check` holds it. lib/README.md says what lives in each.
 */

/** What else a room may import. @type {Record<string, string[]>} */
const ROOMS = {
  base: [],
  run: ['base'],
  load: ['base', 'run'],
  record: ['base', 'run'],
  analysis: ['base', 'run'],
  experiment: ['base', 'run', 'load', 'record', 'analysis'],
  text: ['base', 'run/facts'],
  report: ['base', 'run', 'analysis', 'text'],
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
      from: { path: '^lib/(analysis|experiment|record)/' },
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
      name: 'reading-before-all',
      severity: 'error',
      from: { path: '^lib/analysis/read/' },
      to: { path: '^lib/analysis/', pathNot: '^lib/analysis/(read|stacks)/' },
    },
    {
      name: 'known-room',
      comment: 'each folder of lib/ is one of the nine',
      severity: 'error',
      from: { path: '^(bin|lib|research|scripts|test)/' },
      to: { path: '^lib/', pathNot: inside(Object.keys(ROOMS)) },
    },
    ...Object.entries(ROOMS).map(([room, others]) => ({
      name: `imports-of-${room}`,
      severity: /** @type {const} */ ('error'),
      from: { path: inside([room]) },
      to: { path: '^lib/', pathNot: inside([room, ...others]) },
    })),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    detectJSDocImports: true,
    parser: 'tsc',
    tsConfig: { fileName: 'tsconfig.json' },
  },
};
