import { chooseCores, pinSelf } from './bench/cores.js';
import { describeMachine } from './bench/describe-machine.js';
import { checkBounds, QUICK_BOUNDS } from './bench/guard.js';
import { HELP, parseOptions } from './bench/options.js';
import { renderText } from './bench/render.js';
import { runRounds } from './bench/run-rounds.js';
import { findNginx } from './bench/servers/nginx.js';
import { TOOLS } from './bench/tools/index.js';
import { WORKS } from './bench/works/index.js';
import { runMain, say } from './run-main.js';
import { openWorkFolder } from './work-folder.js';

/** @returns {Promise<number>} exit code */
async function main() {
  const options = parseOptions(process.argv.slice(2), { works: WORKS, tools: TOOLS });
  if (options.help) {
    console.log(HELP);
    return 0;
  }
  const nginx = findNginx();
  if (!nginx)
    throw new Error('nginx is missing; on Debian and Ubuntu: apt-get install nginx-light');
  const cores = chooseCores();
  pinSelf(cores.own);
  const works = WORKS.filter(({ name }) => options.works.includes(name));
  const { tools, versions } = findTools(options.tools, works);
  say(
    `${describeMachine({ nginx, ...versions })}\ngenerator on processor ${cores.generator}, server on ${cores.server}`,
  );

  let failures = 0;
  const folder = openWorkFolder('loadflame-bench');
  for (const work of works) {
    say(`\n${work.title}\n${work.explanation}`);
    const { results, failed } = await runRounds(work, tools, { ...options, cores, folder, say });
    failures += failed;
    console.log(`\n${renderText(work, results)}`);
    if (options.quick) failures += checkBounds(work, results, QUICK_BOUNDS, say);
  }
  return failures > 0 ? 1 : 0;
}

/**
 * The tools that are wanted, known to the works and there; one line for each that is not there.
 * @param {readonly string[]} names @param {readonly import('./bench/bench.d.ts').Work[]} works
 */
function findTools(names, works) {
  const used = new Set(works.flatMap(work => work.tools));
  /** @type {Record<string, string>} */
  const versions = {};
  const tools = TOOLS.filter(({ name }) => names.includes(name) && used.has(name)).filter(tool => {
    const found = tool.find();
    if ('missing' in found)
      say(`${tool.name} is not there and left out; to get it: ${found.missing}`);
    else versions[tool.name.split(' ')[0] ?? tool.name] = found.version;
    return 'version' in found;
  });
  return { tools, versions };
}

await runMain(main);
