/** Flows, deployments, runs, work pools, queues, variables and limits, written through Prefect's API. */

const FLOWS = 30;

/** @param {(path: string, body: object) => Promise<any>} post */
export async function seedPrefect(post) {
  for (let n = 0; n < FLOWS; n++) {
    const flow = await post('/api/flows/', { name: `flow ${n}`, tags: ['a'] });
    const pool = await post('/api/work_pools/', {
      name: `pool ${n}`,
      type: 'process',
      concurrency_limit: 4,
    });
    await post(`/api/work_pools/${encodeURIComponent(pool.name)}/queues`, {
      name: `queue ${n}`,
      concurrency_limit: 2,
    });
    const deployment = await post('/api/deployments/', {
      ...{ name: `deployment ${n}`, flow_id: flow.id, work_pool_name: pool.name },
      schedules: [{ schedule: { interval: 3600 }, active: false }],
    });
    const run = await post('/api/flow_runs/', {
      ...{ name: `run ${n}`, flow_id: flow.id, deployment_id: deployment.id, tags: [`tag ${n}`] },
      state: { type: 'RUNNING' },
    });
    await post('/api/task_runs/', {
      ...{ flow_run_id: run.id, task_key: `task ${n}`, dynamic_key: '0' },
      state: { type: 'COMPLETED' },
    });
    await post('/api/variables/', { name: `variable_${n}`, value: n });
    await post('/api/concurrency_limits/', { tag: `tag ${n}`, concurrency_limit: 3 });
    await post('/api/artifacts/', {
      key: `key-${n}`,
      type: 'markdown',
      data: '# a',
      flow_run_id: run.id,
    });
  }
}
