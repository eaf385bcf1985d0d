import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { printTerminal } from '../../lib/report/print/terminal.js';
import { renderJunit } from '../../lib/report/render-junit.js';
import { wordComparison } from '../../lib/text/comparison.js';
import { describeComparison } from '../../lib/text/document/comparison.js';
import { describeTryLoad, listTryResults } from '../../lib/text/try.js';
import { endWithFile } from '../helpers/temp-folder.js';
import { judge, makeTries } from '../helpers/tries.js';

/** @import { ReportedPair } from '../helpers/tries.js' */

/** @type {Awaited<ReturnType<typeof makeTries>>} */
let tries;
const untilEnd = endWithFile();
before(async () => {
  tries = await makeTries(untilEnd);
});

test('the decision leads the comparison, and replaces its figures', async () => {
  const facts = await judge(tries.slow);
  const { tried, verdict, changes } = facts;
  assert.equal(verdict.level, 'worse');
  for (const { measure, call, relative } of tried?.decisions ?? []) {
    const change = changes.find(own => own.scope === 'overall' && own.measure === measure);
    assert.deepEqual([change?.call, change?.relative, change?.p], [call, relative, null]);
  }
  assert.equal(tried?.endpoint?.name, 'GET /a');
  assert.ok((tried?.path?.afterMs ?? 0) > (tried?.path?.beforeMs ?? 0) * 1.5);
  const text = printTerminal(describeComparison(wordComparison(facts)), {
    color: false,
    width: 200,
  });
  assert.match(
    text,
    /Branch is worse than main: p95 \+\d+\.\d % \(.*\) and CPU per request \+8\d\.\d %/,
  );
  assert.match(text, /^ +p95 +\+.* worse +5$/m);
  assert.match(text, /5 pairs of runs in 5 min, 2 min of it measured; 1 more left out, because/);
  assert.match(text, /25\/s new users for 10 s in each run, after 3 s of warm-up/);
  const load = { model: /** @type {const} */ ('closed'), level: 4, most: null, durationSec: 10 };
  assert.equal(
    describeTryLoad({ ...load, warmUpSec: 10, untilSteady: true }),
    '4 users for 10 s in each run, after its rate became steady',
  );
});

test('names the path to what differs, through callers whose noise hides it', async () => {
  /** @param {number[]} differs */
  const findPath = async differs => {
    const names = ['serve', 'view', 'sort', 'compare', 'log'];
    const flame = {
      unit: /** @type {const} */ ('ms'),
      frames: names.map(name => ({ function: name, file: `${name}.py` })),
      ...{ categories: [], category: [-1, -1, -1, -1, -1, -1] },
      frame: [-1, 0, 1, 2, 3, 4],
      parent: [-1, 0, 1, 2, 3, 1],
      before: [9, 9, 3, 2, 1, 5],
      after: [12, 11, 7, 6, 4.5, 3],
      differs,
    };
    return (await judge(tries.same, { flame })).tried?.path;
  };
  const found = { functions: ['serve', 'view', 'sort'], file: 'sort.py', beforeMs: 2, afterMs: 6 };
  assert.deepEqual(await findPath([0, 0, 0, 1, 0, 0]), found);
  assert.deepEqual((await findPath([0, 0, 0, 1, 1, 1]))?.functions, ['view', 'sort', 'compare']);
  assert.equal(await findPath([0, 0, 0, 0, 0, 0]), null);
});

test('says that the path is not known where every function is noisy, and nothing without stacks', async () => {
  const { flame } = await judge(tries.slow);
  assert.ok(flame);
  const noisy = { ...flame, differs: flame.differs.map(() => 0) };
  for (const [given, said] of /** @type {const} */ ([
    [noisy, true],
    [null, false],
  ])) {
    const facts = await judge(tries.slow, { flame: given });
    const text = printTerminal(describeComparison(wordComparison(facts)), {
      ...{ color: false, width: 200 },
    });
    assert.equal(/most changed path +not known: the noise/.test(text), said, text);
  }
});

test('what was predicted is beside what was measured, also where the terminal is narrow', async () => {
  const facts = await judge(tries.slow);
  const { tried } = facts;
  assert.ok(tried);
  const predicted = { value: 3.226, low: 0.099, high: 69.14 };
  const figures = tried.decisions.map(({ measure, relative: measured }) => ({
    ...{ measure, predicted, measured },
  }));
  const causes = ['a relation or column is loaded lazily', 'remote introspection'];
  tried.predictions = [{ causes, bottleneck: null, isPart: false, figures }];
  const text = printTerminal(describeComparison(wordComparison(facts)), {
    ...{ color: false, width: 80 },
  });
  const row = /^ +CPU per request +\+322\.6 % \(\+9\.9 … \+6,914 %\) +\+8\d\.\d % \(.*\)$/m;
  assert.match(text, row);
  assert.match(text, /without: a relation or column is loaded lazily and remote introspection/);
});

test('writes a JUnit case per figure, which fails if it got worse', async () => {
  const outcome = async (/** @type {ReportedPair[]} */ pairs) => {
    const { tried } = await judge(pairs);
    const results = tried ? listTryResults(tried) : [];
    const own = { name: 'try', startedAtMs: 0, durationMs: 0, invalid: null, results };
    return [...renderJunit(own).matchAll(/name="([^"]*) is not worse".*?>(<\w+|<\/)/g)].map(found =>
      found.slice(1).join(' '),
    );
  };
  assert.deepEqual(await outcome(tries.slow), ['p95 <failure', 'CPU per request <failure']);
  // Five pairs decide no p95 that varies by some percent.
  const [p95, cpu] = await outcome(tries.same);
  assert.match(p95 ?? '', /^p95 (?:<skipped|<\/)$/);
  assert.match(cpu ?? '', /^CPU per request (?:<skipped|<\/)$/);
});

test('does not call equal sides different', async () => {
  const { verdict } = await judge(tries.same);
  assert.match(verdict.level, /^(?:none|unknown)$/);
});

test('the decision leads, and a doubt about its figures says what is left without it', async () => {
  /** @param {number} from @param {import('../../lib/run/facts/quality.d.ts').QualityItem[]} reasons */
  const doubted = (from, reasons) =>
    tries.slow.map(({ a, b }, at) => ({
      a,
      b:
        at < from
          ? b
          : {
              ...b,
              report: {
                ...b.report,
                reliability: { level: /** @type {const} */ ('doubtful'), reasons },
              },
            },
    }));
  /** @type {import('../../lib/run/facts/quality.d.ts').QualityItem} */
  const profile = { id: 'sampling-errors', level: 'warn', facts: { errors: 3, share: 0.1 } };
  /** @type {import('../../lib/run/facts/quality.d.ts').QualityItem} */
  const few = { id: 'few-responses', level: 'warn', facts: { count: 12 } };
  /** @param {ReportedPair[]} pairs @param {Parameters<typeof judge>[2]} [accounts] */
  const read = async (pairs, accounts) => {
    const { headline, sentences } = wordComparison(await judge(pairs, {}, accounts)).verdict.text;
    return { headline, doubts: sentences.filter(own => own.startsWith('Doubt in')) };
  };
  const ofProfile = await read(doubted(0, [profile]));
  assert.match(ofProfile.headline, /^Branch is worse than main:/);
  assert.deepEqual(ofProfile.doubts, []);
  const some = await read(doubted(3, [few, profile]));
  assert.match(some.headline, /^Branch is worse than main:/);
  assert.equal(some.doubts.length, 1);
  assert.match(
    some.doubts[0] ?? '',
    /^Doubt in 2 of 5 pairs: .*12.* Without them: p95 \+\d.*; CPU per request \+\d/,
  );
  // Three pairs decide it where it is known how much runs vary.
  assert.match(some.doubts[0] ?? '', /CPU per request .*, undecided\.$/);
  const variation = { measure: /** @type {const} */ ('cpuMsPerRequest'), spread: 0.02, dof: 20 };
  const account = { pairMs: 36_000, variations: [{ ...variation, inPairs: 0.02 }] };
  const known = await read(doubted(3, [few]), [account]);
  assert.match(known.doubts[0] ?? '', /CPU per request .*, worse\.$/);
  const every = await read(doubted(0, [few]));
  assert.match(every.doubts[0] ?? '', /^Doubt in 5 of 5 pairs: .* Without them, none is left\.$/);
});

test('equal sides whose noise is not known are undecided, for `--fail-undecided`', async () => {
  const levelOf = async (/** @type {number | null} */ change) =>
    (await judge(tries.same, {}, [], { isNoise: true, change })).verdict.level;
  assert.deepEqual([await levelOf(0.064), await levelOf(null)], ['none', 'unknown']);
});
