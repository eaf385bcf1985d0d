/** Hot paths that are worth attention and have no known cause: a cause speaks for itself. @type {import('./index.js').FindingRule} */
export function findFlaggedPaths({ profile }) {
  if (!profile) return [];
  return profile.hotPaths
    .filter(({ flagged, causes }) => flagged && causes.length === 0)
    .map(path => ({
      id: `hot-path.${path.category}.${path.entry.function}`,
      severity: 'info',
      title: path.sentence,
      detail: `Entered at ${path.entry.function} (${path.entry.file}).`,
      evidence: path.heaviest.slice(0, 3).map(frame => ({
        label: `${frame.function} (${frame.file})`,
        value: `${(frame.self * 100).toFixed(1)} % itself, ${(frame.total * 100).toFixed(1)} % in all`,
      })),
      advice: null,
      link: 'hot-paths',
    }));
}
