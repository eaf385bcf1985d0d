/** The load of the cost check: every endpoint of the demo, the cheap ones more often. */
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
  const get = (/** @type {string} */ name, /** @type {number} */ times) =>
    Array.from({ length: times }, () => ({ get: { url: `/api/v1/${name}/` } }));
  const change = [
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
  const lists = [
    ...get('categories', 3),
    ...get('citizens', 1),
    ...get('channels', 3),
    { get: { url: '/api/v1/services/?office_id={{ $env.OFFICE_ID }}' } },
    ...get('exam_types', 3),
    ...get('appointments', 1),
    ...get('offices', 3),
  ];
  const users = (/** @type {string} */ name, /** @type {object[]} */ flow) => ({
    name,
    weight: 1,
    beforeScenario: 'setAppointmentTimes',
    flow,
  });
  return {
    config: {
      target,
      processor: HOOKS,
      phases: [{ name: 'constant', duration: seconds, arrivalRate: rate, maxVusers: 20 }],
    },
    // not all in one scenario: then the rates of all endpoints would rise and fall together
    scenarios: [
      users('look', lists),
      users('change', [...change, ...change]),
      users('both', [...get('offices', 2), ...change, ...get('categories', 2)]),
    ],
  };
}
