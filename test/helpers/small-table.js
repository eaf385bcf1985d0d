/** @typedef {import('../../lib/run/facts/sample-table.d.ts').TableInput} TableInput */

/**
 * A thousand samples in four windows of two workers, small enough to count by hand. Per hundred:
 *
 *     all
 *     └ handle
 *       ├ validate      auth            10 its own, of endpoint 0
 *       │ └ loads       auth            20 of endpoint 0
 *       └ view          business        15 of endpoint 0, 15 of endpoint 1
 *         └ loads       serialization   40 of endpoint 1
 *
 * Windows hold 100, 200, 300 and 400 of them, and of each window 60 % are worker 0's; what a window
 * and worker hold is split like the whole.
 * @returns {TableInput}
 */
export function smallInput() {
  const stacks = [
    { node: 2, path: 0, endpoint: 0, causes: 1, samples: 10 },
    { node: 3, path: 0, endpoint: 0, causes: 3, samples: 20 },
    { node: 4, path: 1, endpoint: 0, causes: 0, samples: 15 },
    { node: 4, path: 1, endpoint: 1, causes: 0, samples: 15 },
    { node: 5, path: 2, endpoint: 1, causes: 0, samples: 40 },
  ];
  const rows = [];
  for (let window = 0; window < 4; window++)
    for (let worker = 0; worker < 2; worker++)
      for (const [stack, { samples }] of stacks.entries())
        rows.push({
          window,
          worker,
          stack,
          count: (samples * (window + 1) * (worker === 0 ? 6 : 4)) / 10,
        });
  return {
    edgesMs: [0, 5000, 10_000, 15_000, 20_000],
    workers: [41, 42],
    endpoints: ['GET /a', 'GET /b'],
    categories: [
      { id: 'auth', label: 'auth', color: '#b8412f' },
      { id: 'business', label: 'business logic', color: '#2f6fb8' },
      { id: 'serialization', label: 'serialization', color: '#6a9a3a' },
    ],
    paths: [
      { category: 0, function: 'validate', file: 'api/auth.py', line: 10 },
      { category: 1, function: 'view', file: 'api/view.py', line: 20 },
      { category: 2, function: 'loads', file: 'json/__init__.py', line: null },
    ],
    causes: ['remote-introspection', 'tls-context'],
    designEffect: 1,
    frames: [
      { function: 'handle', file: 'gunicorn/sync.py' },
      { function: 'validate', file: 'api/auth.py' },
      { function: 'loads', file: 'json/__init__.py' },
      { function: 'view', file: 'api/view.py' },
    ],
    tree: { parent: [-1, 0, 1, 2, 1, 4], frame: [-1, 0, 1, 2, 3, 2], line: [0, 7, 10, 30, 20, 30] },
    stacks: {
      node: stacks.map(({ node }) => node),
      path: stacks.map(({ path }) => path),
      endpoint: stacks.map(({ endpoint }) => endpoint),
      causes: stacks.map(({ causes }) => causes),
    },
    rows: {
      window: rows.map(({ window }) => window),
      worker: rows.map(({ worker }) => worker),
      stack: rows.map(({ stack }) => stack),
      count: rows.map(({ count }) => count),
    },
  };
}
