import { execa } from 'execa';
import { LoadflameError } from '../../errors.js';

/** @typedef {{name: string, uid: number, gid: number}} User */

/**
 * Who is to run a service. Only root can be somebody else, and only root has to: for everybody else, the
 * service runs as who started us.
 * @param {string | null} name
 * @param {string} service
 * @returns {Promise<User | null>}
 * @throws {LoadflameError} STUDY_USER_UNKNOWN
 */
export async function findUser(name, service) {
  if (name === null || process.getuid?.() !== 0) return null;
  const [uid, gid] = await Promise.all(
    ['-u', '-g'].map(async flag => {
      const { stdout, failed } = await execa('id', [flag, '--', name], { reject: false });
      if (failed) throw new LoadflameError('STUDY_USER_UNKNOWN', { user: name, service });
      return Number(stdout);
    }),
  );
  return { name, uid: Number(uid), gid: Number(gid) };
}
