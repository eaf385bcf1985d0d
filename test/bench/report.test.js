import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkBounds } from '../../research/bench/guard.js';
import { parseOptions } from '../../research/bench/options.js';
import { compareRounds, renderText } from '../../research/bench/render.js';
import { runRounds } from '../../research/bench/run-rounds.js';
import { TOOLS } from '../../research/bench/tools/index.js';
import { WORKS } from '../../research/bench/works/index.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

/** @type {import('../../research/bench/bench.d.ts').Work} */
const WORK = {
  name: 'walk',
  title: 'A walk',
  explanation: 'Steps are counted.',
  tools: ['loadflame', 'artillery', 'crawler'],
  columns: [
    { key: 'steps', title: 'steps' },
    { key: 'seconds', title: 's', digits: 2 },
  ],
  ratioOf: 'steps',
  measure: async () => null,
};

const RESULTS = [
  { tool: 'loadflame', rounds: [{ steps: 12_000, seconds: 1 }, { steps: 9000, seconds: 1 }, null] },
  {
    tool: 'artillery',
    rounds: [
      { steps: 1000, seconds: 1 },
      { steps: 900, seconds: 1 },
      { steps: 1, seconds: 1 },
    ],
  },
];

test('a table shows the median, the range, and the ratio within each round', () => {
  assert.equal(
    renderText(WORK, RESULTS),
    [
      '           steps                  s     × Artillery',
      'loadflame  10,500 (9,000–12,000)  1.00  11.0 (10.0–12.0)',
      'artillery  900 (1–1,000)          1.00  1.0',
    ].join('\n'),
  );
});

test('a table with the floor shows the ratio to it, too', () => {
  const floor = { tool: 'floor', rounds: [{ steps: 8000, seconds: 1 }] };
  const [head, first] = renderText(WORK, [...RESULTS, floor]).split('\n');
  assert.match(String(head), /× Artillery +× floor$/);
  assert.match(String(first), / 1\.50$/);
});

test('a ratio needs both sides in the same round', () => {
  const ratios = compareRounds(RESULTS, 'loadflame', 'steps');
  assert.deepEqual(ratios, [12, 10, Number.NaN]);
  assert.deepEqual(compareRounds(RESULTS.slice(0, 1), 'loadflame', 'seconds').length, 3);
});

test('the guard fails below its bound, and with nothing to compare', () => {
  const said = /** @type {string[]} */ ([]);
  const say = (/** @type {string} */ line) => said.push(line);
  const check = (/** @type {number} */ bound, results = RESULTS) =>
    checkBounds(
      WORK,
      results.map(r => ({ ...r, rounds: r.rounds.slice(0, 2) })),
      { walk: bound },
      say,
    );
  assert.equal(check(11), 0);
  assert.equal(check(11.1), 1);
  assert.equal(check(1, RESULTS.slice(0, 1)), 1);
  assert.deepEqual(said.slice(0, 2), [
    'good: walk is 11.0 × Artillery, to be ≥ 11',
    'BAD: walk is 11.0 × Artillery, to be ≥ 11.1',
  ]);
});

test('tools run in another order each round, and a failure is reported and counted', async t => {
  const turns = /** @type {string[]} */ ([]);
  const said = /** @type {string[]} */ ([]);
  /** @type {import('../../research/bench/bench.d.ts').Work} */
  const work = {
    ...WORK,
    async measure({ name }) {
      turns.push(name);
      if (name === 'crawler') return null;
      if (name === 'artillery') throw new Error('it fell');
      return { steps: 7, seconds: 1 };
    },
  };
  const tools = work.tools.map(name => ({
    name,
    find: () => ({ version: '1' }),
    command: () => null,
  }));
  const { results, failed } = await runRounds(work, tools, {
    rounds: 2,
    quick: false,
    cores: { generator: 0, server: 1, own: 1 },
    folder: makeTempFolder(t),
    say: line => said.push(line.replace(/ +/g, ' ').trim()),
  });
  assert.deepEqual(turns, [
    'loadflame',
    'artillery',
    'crawler',
    'artillery',
    'crawler',
    'loadflame',
  ]);
  assert.equal(failed, 2);
  assert.deepEqual(results, [
    {
      tool: 'loadflame',
      rounds: [
        { steps: 7, seconds: 1 },
        { steps: 7, seconds: 1 },
      ],
    },
    { tool: 'artillery', rounds: [null, null] },
  ]);
  assert.ok(said.includes('1/2 loadflame 7 steps · 1.00 s'));
  assert.ok(said.includes('1/2 artillery failed: it fell'));
});

test('flags choose works and tools; unknown ones are refused', () => {
  const parse = (/** @type {string[]} */ ...args) =>
    parseOptions(args, { works: WORKS, tools: TOOLS });
  assert.equal(parse().works.length, WORKS.length);
  assert.equal(parse().rounds, 3);
  const { works, tools } = parse('--only', 'closed-loop, wrk,loadflame (users: N)');
  assert.deepEqual(works, ['closed-loop']);
  assert.deepEqual(tools, ['loadflame (users: N)', 'wrk']);
  const quick = parse('--quick');
  assert.deepEqual([quick.tools, quick.rounds], [['loadflame', 'artillery'], 1]);
  assert.throws(() => parse('--only', 'closd-loop'), /"closd-loop"/);
  assert.throws(() => parse('--rounds', '0'), /--rounds 0/);
  assert.throws(() => parse('--fast'), /--fast/);
  assert.deepEqual([parse().seconds, parse('--seconds', '10').seconds], [null, 10]);
});

test('every tool of a work is known', () => {
  const known = TOOLS.map(({ name }) => name);
  for (const { name, tools } of WORKS) {
    for (const tool of tools) assert.ok(known.includes(tool), `${tool} of ${name}`);
  }
});
