/** A Python environment for the apps of a bench, made at its first run and extended when its requirements change. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * @param {string} name of its folder in `.tools/`
 * @param {string} requirements file for pip
 * @returns {string} path of its Python
 * @throws {Error} with what Python or pip printed
 */
export function prepareVenv(name, requirements) {
  const folder = path.resolve(import.meta.dirname, '../.tools', name);
  const python = path.join(folder, 'bin/python');
  const done = path.join(folder, 'done');
  const wanted = readFileSync(requirements, 'utf8');
  if (existsSync(done) && readFileSync(done, 'utf8') === wanted) return python;
  runOrThrow('python3', ['-m', 'venv', folder]);
  runOrThrow(python, ['-m', 'pip', 'install', '-q', '-r', requirements]);
  writeFileSync(done, wanted);
  return python;
}

/** @param {string} program @param {string[]} args */
function runOrThrow(program, args) {
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`);
}
