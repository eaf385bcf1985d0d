/**
 * `node scripts/run.js scripts/write-example.js`: builds the report and the flamegraph in `profiles/example/` from the records there.
 * `node scripts/run.js scripts/write-example.js --record` measures the demo first; that takes a minute, best on a machine that does
 * nothing else.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir, hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { analyseRun } from '../lib/analysis/analyse-run.js';
import { renderSvg } from '../lib/analysis/stacks/write-svg.js';
import { replaceFile } from '../lib/base/files/replace-file.js';
import { renderHtml } from '../lib/report/render-html.js';
import { wordReport } from '../lib/text/index.js';
import { ROOT } from './setup/root.js';

const EXAMPLE = path.join(ROOT, 'profiles/example');
const RECORDS = path.join(EXAMPLE, 'records.tar.gz');
/** What recorders write; the rest of a run folder is built of it. */
const RECORDED = ['run.json', 'events.ndjson', 'load', 'profile', 'resources', 'logs'];
/** Enough samples for a report that can be trusted, and small enough to keep. */
const PHASES = { WARM_UP_DURATION: '4', RAMP_DURATION: '4', DURATION: '16' };
const MOST_BYTES = 1_100_000;

/** @param {string} scratch */
async function record(scratch) {
  const root = path.join(scratch, 'recorded');
  const child = spawn(
    process.execPath,
    [path.join(ROOT, 'bin/loadflame.js'), 'start', '--profiles', root],
    { cwd: ROOT, env: { ...process.env, ...PHASES }, stdio: 'inherit' },
  );
  const [code] = await once(child, 'exit');
  const [id] = readdirSync(root);
  if (code !== 0 || !id) throw new Error(`the demo ended with exit code ${code}`);
  for (const file of globSync(`${id}/**/*.*`, { cwd: root })) makePortable(path.join(root, file));
  const kept = RECORDED.filter(name => existsSync(path.join(root, id, name)));
  mkdirSync(EXAMPLE, { recursive: true });
  const files = kept.map(name => path.join(id, name));
  execFileSync('tar', ['-czf', RECORDS, '--owner=0', '--group=0', '-C', root, ...files]);
}

/** Takes the places of this machine out of a record. @param {string} file */
function makePortable(file) {
  const text = readFileSync(file, 'utf8')
    .replaceAll(path.dirname(path.dirname(path.dirname(file))), '.')
    .replaceAll(new RegExp(`${tmpdir()}/loadflame-demo-\\w+`, 'g'), 'demo')
    .replaceAll(ROOT, '.');
  writeFileSync(file, text);
}

/** @param {string} scratch */
async function build(scratch) {
  const unpacked = path.join(scratch, 'unpacked');
  mkdirSync(unpacked);
  execFileSync('tar', ['-xzf', RECORDS, '-C', unpacked]);
  const [id] = readdirSync(unpacked);
  if (!id) throw new Error(`${RECORDS} holds no run`);
  const folder = path.join(unpacked, id);
  const { report, profile, colors } = await analyseRun(folder, { rulesFile: null });
  if (!profile) throw new Error('the records hold no profile');
  report.run.files = [
    { path: 'profile.svg', label: 'flamegraph (SVG)' },
    { path: path.basename(RECORDS), label: 'records of the run' },
  ];
  replaceFile(path.join(EXAMPLE, 'report.html'), renderHtml(wordReport(report)));
  /** @param {number} node */
  const colorOf = node => colors?.palette[colors.category[node] ?? -1] ?? null;
  writeFileSync(path.join(EXAMPLE, 'profile.svg'), renderSvg(profile, { title: id, colorOf }));
  const places = [ROOT, tmpdir(), homedir()].filter(place => place.length > 1);
  const written = globSync([path.join(folder, '**/*.*'), path.join(EXAMPLE, '*.{html,svg}')]);
  for (const file of written) check(file, places);
}

/** What is published says nothing of the machine. @param {string} file @param {string[]} places */
function check(file, places) {
  const text = readFileSync(file, 'utf8');
  const found = places.find(place => text.includes(`${place}/`));
  if (found) throw new Error(`${path.basename(file)} names ${found}`);
  if (new RegExp(`\\b${hostname()}\\b.*\\b(host|node)name\\b`, 'i').test(text))
    throw new Error(`${path.basename(file)} names the machine`);
  if (/eyJ[\w-]{10,}\.[\w-]{10,}/.test(text))
    throw new Error(`${path.basename(file)} holds a token`);
}

const scratch = mkdtempSync(path.join(tmpdir(), 'loadflame-example-'));
try {
  if (process.argv.includes('--record') || !existsSync(RECORDS)) await record(scratch);
  await build(scratch);
  const sizes = readdirSync(EXAMPLE).map(name => ({
    name,
    bytes: statSync(path.join(EXAMPLE, name)).size,
  }));
  for (const { name, bytes } of sizes)
    process.stdout.write(`${String(Math.round(bytes / 1000)).padStart(5)} kB  ${name}\n`);
  if (sizes.reduce((sum, { bytes }) => sum + bytes, 0) > MOST_BYTES)
    throw new Error('the example is larger than 1.1 MB; record it with shorter phases');
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
