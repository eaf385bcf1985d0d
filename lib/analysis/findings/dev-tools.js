import { formatRoughShare } from '../../format.js';

/** Less of it may be a tool that was only looked up. */
const LEAST_SHARE = 0.01;

/** Development tools in the profile that no known cause names already. @type {import('./index.js').FindingRule} */
export function findDevTools({ profile }) {
  const tools = profile?.categories.find(({ id }) => id === 'dev-tools');
  const isNamed = profile?.causes.some(({ category }) => category === 'dev-tools');
  if (!profile || !tools || isNamed || tools.share.value < LEAST_SHARE) return [];
  const paths = profile.hotPaths.filter(({ category }) => category === 'dev-tools');
  return [
    {
      id: 'dev-tools',
      severity: 'warn',
      title: `Development tools take ${formatRoughShare(tools.share)} of the CPU: this is no production set-up.`,
      detail: 'Debuggers, reloaders and tracers change what is measured, not only what it costs.',
      evidence: paths.slice(0, 3).map(({ entry, share }) => ({
        label: `${entry.function} (${entry.file})`,
        value: formatRoughShare(share),
      })),
      advice: 'Start the API as in production, without them, and measure again.',
      link: 'hot-paths',
    },
  ];
}
