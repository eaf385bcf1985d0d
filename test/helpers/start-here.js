import { spawn } from 'node:child_process';

/** This machine in the place of a pod: what exec has at its far end, without the way there. @type {import('../../lib/record/profiler/pod-recorder.js').StartInPod} */
export const startHere = async ([program = '', ...args], { onOutput, onError, reads }) => {
  const child = spawn(program, args, { stdio: [reads ? 'pipe' : 'ignore', 'pipe', 'pipe'] });
  child.stdout?.on('data', onOutput);
  child.stderr?.on('data', onError);
  child.stdin?.on('error', () => {});
  return {
    ended: new Promise(resolve => {
      child.on('close', exitCode => resolve({ exitCode, reason: 'it was ended' }));
    }),
    endInput: () => child.stdin?.end('\n'),
    leave: () => void child.kill('SIGKILL'),
  };
};
