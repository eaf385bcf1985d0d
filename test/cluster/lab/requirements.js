/**
 * Requirements of the lab, and how to install those that are missing. `node test/cluster/lab/requirements.js` prints the
 * missing packages of Debian, for apt-get.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { findProgram } from '../../helpers/find-program.js';

const HERE = import.meta.dirname;
export const KEPT = path.resolve(HERE, '../../../.tools/cluster');
const BRIDGE = '/usr/lib/cni/bridge';
/** Of memory: one compilation of the build takes 2.3 GB. */
const LEAST_FREE_GB = 4;

/** Programs, or a file, by the package that has them. */
const PACKAGES = {
  'etcd-server': 'etcd',
  containerd: 'containerd',
  runc: 'runc',
  'busybox-static': 'busybox',
  'containernetworking-plugins': BRIDGE,
  openssl: 'openssl',
  iproute2: 'ip',
  haproxy: 'haproxy',
  buildah: 'buildah',
};

/** Path of the built Kubernetes: its name changes with the files that it is built from. */
export function findBuilt() {
  const hash = createHash('sha256');
  for (const file of globSync('kubernetes/*', { cwd: HERE }).sort())
    hash.update(readFileSync(path.join(HERE, file)));
  return path.join(KEPT, `kubernetes-${hash.digest('hex').slice(0, 12)}`);
}

/**
 * Why the lab can't run here, and everything that is missing, in one message; false where it can run.
 * @returns {string | false}
 */
export function findObstacle() {
  const unfit = findUnfit();
  if (unfit) return unfit;
  const built = existsSync(findBuilt())
    ? []
    : ['`node test/cluster/lab/build.js`, which builds Kubernetes once, in 5 to 15 minutes'];
  const all = [...listInstalls(), ...built];
  return all.length > 0 && `needs a cluster of its own: ${all.join('; then ')}`;
}

/**
 * Why a built Kubernetes could not run here, or can't be built; false where it can.
 * @returns {string | false}
 */
export function findUnbuildable() {
  const unfit = findUnfit();
  if (unfit) return unfit;
  if (listInstalls().length > 0) return `needs ${listInstalls().join('; then ')}`;
  const isTight = !existsSync(findBuilt()) && process.availableMemory() < LEAST_FREE_GB * 1e9;
  return isTight && `a build needs ${LEAST_FREE_GB} GB of free memory`;
}

/** Why no package would help; false where packages do. */
function findUnfit() {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'needs Linux on x86-64';
  if (process.getuid?.() !== 0) return 'needs root: containers are started with it';
  if (!existsSync('/sys/fs/cgroup/memory'))
    return 'needs control groups of version 1: the lab is untested with version 2';
  try {
    const own = ['--mount', '--pid', '--net', '--ipc', '--uts', '--fork', '--mount-proc', 'true'];
    execFileSync('unshare', own, { stdio: 'ignore' });
  } catch {
    return 'needs the capability SYS_ADMIN: the lab runs in namespaces of its own';
  }
  return false;
}

/** What to install, in the order in which it is needed. */
function listInstalls() {
  const packages = listMissing();
  return [
    ...(packages.length > 0 ? [`\`apt-get install ${packages.join(' ')}\``] : []),
    ...(existsSync(findBuilt()) || findProgram('go') ? [] : ['Go 1.24 or newer (go.dev/dl)']),
  ];
}

/** Names of Debian's packages. */
function listMissing() {
  return Object.entries(PACKAGES).flatMap(([name, needed]) => {
    const isThere = needed === BRIDGE ? existsSync(BRIDGE) : findProgram(needed) !== null;
    return isThere ? [] : [name];
  });
}

if (import.meta.main && !findUnfit()) console.log(listMissing().join(' '));
