/** A load that a worker of the demo can not keep up with: users without pauses, dear and cheap endpoints. */

const NAMES = [
  'citizens/',
  'appointments/',
  'services/?office_id={{ $env.OFFICE_ID }}',
  'channels/',
];

/**
 * @param {{seconds: number, users: number}} options
 * @returns {Record<string, any>} an Artillery script
 */
export function describeFullLoad({ seconds, users }) {
  return {
    config: {
      loadflame: { variables: { OFFICE_ID: {} } },
      target: '{{ $env.TARGET }}',
      phases: [{ name: 'full', duration: seconds, users }],
    },
    scenarios: [{ name: 'look', flow: NAMES.map(name => ({ get: { url: `/api/v1/${name}` } })) }],
  };
}
