/** A repository for `bisect`, whose commits have subjects that no shell and no terminal may read. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { makeTempFolder } from './temp-folder.js';

/** Commits \`one\` and \`two\`, and a branch beside them. @param {import('node:test').TestContext} t */
export function makeRepository(t) {
  const folder = makeTempFolder(t);
  const git = (/** @type {string[]} */ ...args) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=t', '-c', 'user.email=t@t', ...args], {
      encoding: 'utf8',
    }).trim();
  git('init', '--quiet', '--initial-branch=main');
  for (const tag of ['one', 'two']) {
    writeFileSync(path.join(folder, 'app.py'), tag);
    git('add', '.');
    git('commit', '--quiet', '--message', `${tag} \u001b[31m$(touch pwned)`);
    git('tag', tag);
  }
  git('switch', '--quiet', '--orphan', 'other');
  git('commit', '--quiet', '--allow-empty', '--message', 'other');
  git('switch', '--quiet', 'main');
  return { folder, git };
}
