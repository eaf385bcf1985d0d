/** The load of the cost check: every endpoint of the demo, all as often. */
import path from 'node:path';

const HOOKS = path.resolve(import.meta.dirname, '../../scenarios/csr-hooks.mjs');

/**
 * @param {string} target
 * @param {number} seconds
 * @param {number} rate users per second
 * @returns {Record<string, any>} an Artillery script
 */
export function describeCostLoad(target, seconds, rate) {
  const appointment = {
    office_id: '{{ $env.OFFICE_ID }}',
    service_id: '{{ $env.SERVICE_ID }}',
    start_time: '{{ startTime }}',
    end_time: '{{ endTime }}',
    citizen_name: 'loadflame',
  };
  const get = (/** @type {string} */ name) => [
    { get: { url: `/api/v1/${name}${name.includes('?') ? '' : '/'}` } },
  ];
  const change = [
    {
      get: {
        url: '/api/v1/offices/',
        capture: {
          json: '$.offices[?(@.office_id == {{ $env.OFFICE_ID }})].timezone.timezone_name',
          as: 'timezone',
        },
      },
    },
    {
      get: {
        url: '/api/v1/offices/{{ $env.OFFICE_ID }}/slots/?service_id={{ $env.SERVICE_ID }}',
        capture: { json: '$', as: 'slots' },
      },
    },
    { function: 'chooseSlots' },
    {
      post: {
        url: '/api/v1/appointments/draft',
        json: appointment,
        capture: { json: '$.appointment.appointment_id', as: 'draftId' },
      },
    },
    { delete: { url: '/api/v1/appointments/draft/{{ draftId }}/' } },
    {
      post: {
        url: '/api/v1/appointments/',
        json: appointment,
        capture: { json: '$.appointment.appointment_id', as: 'appointmentId' },
      },
    },
    { put: { url: '/api/v1/appointments/{{ appointmentId }}/', json: { comments: 'moved' } } },
    { delete: { url: '/api/v1/appointments/{{ appointmentId }}/' } },
  ];
  const users = (
    /** @type {string} */ name,
    /** @type {number} */ weight,
    /** @type {object[]} */ flow,
  ) => ({ name, weight, flow });
  return {
    config: {
      target,
      processor: HOOKS,
      loadflame: { variables: { OFFICE_ID: {}, SERVICE_ID: {} } },
      phases: [{ name: 'constant', duration: seconds, arrivalRate: rate, maxVusers: 50 }],
    },
    // users of one endpoint each, so that their rates do not rise and fall together
    scenarios: [
      ...['citizens', 'appointments', 'exam_types', 'channels', 'categories'].map(name =>
        users(name, 1, get(name)),
      ),
      users('services', 1, get('services/?office_id={{ $env.OFFICE_ID }}')),
      users('change', 1, change),
    ],
  };
}
