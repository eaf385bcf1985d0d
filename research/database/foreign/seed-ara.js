/** What ARA records of ansible runs, written through its API. */

const PLAYBOOKS = 30;
const HOSTS = 4;
/** Of the one playbook whose page is read. */
const READ = { id: 7, hosts: 24 };

/** @param {(path: string, body: object) => Promise<any>} post */
export async function seedAra(post) {
  const started = '2026-11-20T10:00:00Z';
  for (let n = 0; n < PLAYBOOKS; n++) {
    const own = { started, ended: '2026-11-20T10:01:00Z' };
    const { id: playbook } = await post('/api/v1/playbooks', {
      ...own,
      ...{ ansible_version: '2.19', path: `/srv/book-${n}.yml`, status: 'completed' },
      labels: [`team ${n % 3}`, `stage ${n % 2}`],
    });
    const file = await post('/api/v1/files', {
      playbook,
      path: `/srv/${n}.yml`,
      content: `# ${n}`,
    });
    const uuid = `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
    const play = await post('/api/v1/plays', {
      ...own,
      playbook,
      uuid,
      name: 'all',
      status: 'completed',
    });
    const hosts = [];
    for (let at = 0; at < (playbook === READ.id ? READ.hosts : HOSTS); at++)
      hosts.push(await post('/api/v1/hosts', { playbook, name: `host-${n}-${at}`, facts: { at } }));
    const task = await post('/api/v1/tasks', {
      ...own,
      ...{ playbook, play: play.id, file: file.id, name: 'install', action: 'apt', lineno: n + 1 },
      ...{ uuid, handler: false, status: 'completed', tags: ['a'] },
    });
    for (const { id: host } of hosts)
      await post('/api/v1/results', {
        ...own,
        ...{ playbook, play: play.id, task: task.id, host, status: 'ok', content: { n } },
        delegated_to: [host],
      });
    await post('/api/v1/records', { playbook, key: `key ${n}`, value: n, type: 'text' });
  }
}
