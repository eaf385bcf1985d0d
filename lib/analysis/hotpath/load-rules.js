import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { LoadflameError } from '../../base/errors.js';
import { compileShape } from '../../base/files/check-shape.js';
import { suggest } from '../../base/files/closest.js';
import { formatPath, parseYaml, readSource } from '../../base/files/read-yaml.js';
import { compileGlob, compilePattern } from './frame-pattern.js';
import { identifyFrame, packageOf } from './identify-frame.js';
import RULES_SCHEMA from './rules-form.schema.json' with { type: 'json' };

/** @import { Path } from '../../base/files/read-yaml.js' */
/** @import { Category, Cause, FrameIdentity, PatternSource, Rules } from '../../run/facts/rules.d.ts' */
/** @import { RulesForm } from './rules-form.d.ts' */

/**
 * @typedef {object} RulesFile
 * @property {RulesForm} data content of the file
 * @property {(path: Path, problem: string, change: string, isKey?: boolean) => LoadflameError} complain
 *   returns an error that names file, line and key
 */

const findMistake = compileShape(RULES_SCHEMA, { what: 'a rules file', page: 'docs/rules.md' });

const FOLDER = path.join(import.meta.dirname, 'rules');
/**
 * The parsed files of FOLDER, because parsing their YAML takes 0.35 s of CPU. Written by `npm run check -- --fix`.
 */
export const READ_RULES = path.join(import.meta.dirname, 'rules.json');

/** Compiled by the first analysis. @type {Rules | null} */
let ours = null;

/**
 * The rules of loadflame. A user's rules take precedence, and categories with a known id modify ours.
 * @param {string | null} [userFile] YAML of the same shape
 * @returns {Promise<Rules>}
 * @throws {LoadflameError} RULES_UNREADABLE, RULES_INVALID
 */
export async function loadRules(userFile = null) {
  if (!userFile && ours) return ours;
  /** @type {RulesForm[]} */
  const own = JSON.parse(readFileSync(READ_RULES, 'utf8'));
  const files = own.map(data => ({ data, complain: complainOf(READ_RULES) }));
  if (userFile) return buildRules([readRules(userFile), ...files]);
  ours = buildRules(files);
  return ours;
}

/** Packages that loadflame's own rules know: none is an application. @returns {Set<string>} */
export const listLibraries = () => listInstalled(JSON.parse(readFileSync(READ_RULES, 'utf8')));

/** @param {RulesForm[]} contents of rules files @returns {Set<string>} */
function listInstalled(contents) {
  const frames = contents.flatMap(content => content.frames ?? []);
  const named = frames.flatMap(({ packages = [] }) => packages);
  return new Set([
    ...contents.flatMap(({ installed = [] }) => installed),
    ...named.map(name => name.replace(/\/.*/, '')),
  ]);
}

/**
 * @returns {RulesForm[]} content of loadflame's own rules files
 * @throws {LoadflameError} RULES_INVALID
 */
export function readOwnRules() {
  const own = ['categories', 'frames', 'c-calls', 'waiting', 'waits', 'gil', 'packages'].map(
    name => `${name}.yaml`,
  );
  const causes = readdirSync(path.join(FOLDER, 'causes'))
    .sort()
    .map(name => path.join('causes', name));
  const files = [...own, ...causes].map(name => readRules(path.join(FOLDER, name)));
  buildRules(files);
  return files.map(({ data }) => data);
}

/** @param {string} file @returns {RulesFile} */
function readRules(file) {
  const text = readSource(file, 'RULES_UNREADABLE');
  const { data, locate } = parseYaml(text, file, { code: 'RULES_INVALID' });
  const complain = complainOf(file, locate);
  const mistake = findMistake(data ?? {});
  if (mistake) throw complain(mistake.path, mistake.problem, mistake.change, mistake.isKey);
  return { data: data ?? {}, complain };
}

/**
 * @param {string} file
 * @param {(at: Path, isKey: boolean) => {line: number}} [locate]
 * @returns {RulesFile['complain']}
 */
function complainOf(file, locate) {
  return (at, problem, change, isKey = true) =>
    new LoadflameError('RULES_INVALID', {
      at: locate ? `${file}:${locate(at, isKey).line}` : file,
      key: formatPath(at),
      problem,
      change,
    });
}

/** @param {RulesFile[]} files the user's first @returns {Rules} */
function buildRules(files) {
  const categories = buildCategories(files);
  /**
   * @param {RulesFile} file
   * @param {Path} at
   * @param {string} id
   */
  const find = (file, at, id) => {
    const category = categories.get(id);
    if (category) return category;
    const known = [...categories.keys()];
    const change = `${suggest(id, known)}there are ${known.join(', ')}`;
    throw file.complain(at, `names "${id}", which is no category`, change);
  };
  /** @type {Rules['frames'][number][]} */
  const frames = [];
  /** @type {Rules['waiting'][number][]} */
  const waiting = [];
  /** @type {Map<string, Rules['causes'][number]>} */
  const causes = new Map();
  for (const file of files) {
    const { data } = file;
    for (const [index, rule] of (data.frames ?? []).entries()) {
      if (!rule.category && rule.kind !== 'helper')
        throw file.complain(
          ['frames', index],
          'has no category',
          'add a category; only a rule with kind: helper needs none',
        );
      frames.push({
        category: rule.category ? find(file, ['frames', index, 'category'], rule.category) : null,
        kind: rule.kind ?? 'owner',
        request: rule.request ?? false,
        matches: compilePattern(rule),
      });
    }
    for (const [index, rule] of (data.waiting ?? []).entries()) {
      for (const id of rule.notIn ?? []) find(file, ['waiting', index, 'notIn'], id);
      const { id, notIn, untimed = false } = rule;
      waiting.push({ id, untimed, ...compilePlaced(rule), notIn: new Set(notIn) });
    }
    for (const [index, cause] of (data.causes ?? []).entries()) {
      const check = (/** @type {string} */ id) => find(file, ['causes', index, 'frames'], id).id;
      for (const id of cause.notIn ?? []) find(file, ['causes', index, 'notIn'], id);
      if (!causes.has(cause.id)) causes.set(cause.id, buildCause(cause, check));
    }
  }
  /** @param {keyof RulesForm} key @returns {any[]} */
  const all = key => files.flatMap(({ data }) => /** @type {any[]} */ (data[key] ?? []));
  const list = (/** @type {keyof RulesForm} */ key) => new Set(all(key));
  const observing = all('frames').filter(({ category }) => category === 'observability');
  const installed = listInstalled(files.map(({ data }) => data));
  const [standardPackages, standardModules] = [list('standardPackages'), list('standardModules')];
  for (const name of [...standardPackages, ...standardModules])
    installed.delete(name.split('/')[0]);
  return Object.freeze({
    categories,
    frames: Object.freeze(frames),
    waiting: Object.freeze(waiting),
    // The user's come last, and replace ours.
    waitKinds: new Map(
      all('waitKinds')
        .toReversed()
        .map(kind => [kind.id, kind]),
    ),
    waits: Object.freeze(
      all('waits').map(({ kind, rank, as = null, below: files, ...pattern }) => {
        const below = files ? compilePattern({ files }) : null;
        return { kind, rank, as, matches: compilePattern(pattern), below };
      }),
    ),
    gilReleases: all('gilReleases').map(({ isLong, ...pattern }) => {
      return { isLong: isLong === true, matches: compilePattern(pattern) };
    }),
    causes: Object.freeze([...causes.values()]),
    counted: all('counted'),
    smallCalls: list('smallCalls'),
    bigCalls: list('bigCalls'),
    observing: new Set(observing.flatMap(({ packages = [] }) => packages)),
    installed,
    standardPackages,
    standardModules,
  });
}

/** Ours first, so that a user's entry changes only the fields that it sets. @param {RulesFile[]} files */
function buildCategories(files) {
  /** @type {Map<string, Category>} */
  const categories = new Map();
  for (const file of files.toReversed()) {
    for (const [index, source] of (file.data.categories ?? []).entries()) {
      const unset = { flagAbove: null, plural: false, order: 55, about: source.label };
      const category = { ...unset, ...categories.get(source.id), ...source };
      for (const key of /** @type {const} */ (['label', 'color', 'strength']))
        if (category[key] === undefined)
          throw file.complain(
            ['categories', index],
            `lacks ${key}`,
            `add ${key}: a new category needs it`,
          );
      categories.set(source.id, /** @type {Category} */ (Object.freeze(category)));
    }
  }
  return new Map([...categories].sort(([, a], [, b]) => a.order - b.order));
}

/** @param {PatternSource & {below?: PatternSource[], notBelow?: PatternSource[]}} pattern with the frames that it must, and must not, be below */
function compilePlaced(pattern) {
  return {
    matches: compilePattern(pattern),
    below: pattern.below?.map(compilePattern) ?? null,
    notBelow: pattern.notBelow?.map(compilePattern) ?? null,
  };
}

/** Of causes that do not set them. */
const CAUSE = {
  ...{ severity: /** @type {const} */ ('warn'), priority: 50, minShare: 0.005 },
  ...{ inRequest: false, cached: false, notLocal: false, repeats: false, named: false },
  ...{ effects: [], where: [], notIn: [] },
};

/**
 * @param {NonNullable<RulesForm['causes']>[number]} source
 * @param {(id: string) => string} check throws for an unknown category
 * @returns {Rules['causes'][number]}
 */
function buildCause({ frames, expected, handedOver, ...source }, check) {
  const at = (expected?.at ?? []).map(glob => compileGlob(glob, { crossing: true }));
  const evidence = frames.map(pattern => ({
    ...compilePlaced(pattern),
    category: pattern.category ? check(pattern.category) : null,
    in: pattern.in ? new Set(pattern.in.map(check)) : null,
    inLoop: pattern.inLoop === true,
  }));
  return Object.freeze({
    ...CAUSE,
    ...source,
    evidence: Object.freeze(evidence),
    handedOver: handedOver
      ? { by: handedOver.by.map(compilePattern), to: handedOver.to.map(compilePattern) }
      : null,
    expected: expected ? { ...expected, isAt: name => at.some(test => test.test(name)) } : null,
  });
}

/** "httpx", "httpx.AsyncClient" @param {FrameIdentity} frame */
const nameOwners = ({ packages, qualified }) =>
  packages.flatMap(name => [name, `${name}.${qualified.split('.', 1)}`]);

/**
 * Advice about a library, or a class of it (`httpx.Client`), applies only if its frames are in the stacks, and advice
 * about other machines only if there are any. A cause that is named is one for each class or function in the stacks.
 * @param {Rules} rules
 * @param {import('../stacks/profile.d.ts').Profile} profile
 * @param {boolean} [isLocal] the API has connections only to its own machine
 * @returns {Rules}
 */
export function fitAdvice(rules, { frames }, isLocal = false) {
  const identities = frames.map(frame => identifyFrame(frame, rules));
  const packages = new Set(identities.flatMap(nameOwners));
  const causes = rules.causes.flatMap(cause => {
    if (cause.notLocal && isLocal) return [];
    return cause.named ? nameCauses(cause, identities) : [addAdvice(cause, packages)];
  });
  return { ...rules, causes };
}

/** @param {Cause} cause @param {ReadonlySet<string>} packages @returns {Cause} */
function addAdvice(cause, packages) {
  const here = cause.where.filter(one => one.packages.some(name => packages.has(name)));
  const textOf = (/** @type {'explanation' | 'advice'} */ key) =>
    [cause[key], ...here.flatMap(one => one[key] ?? [])].join(' ');
  const fix = here.find(one => one.fix)?.fix ?? cause.fix;
  return { ...cause, fix, explanation: textOf('explanation'), advice: textOf('advice') };
}

/** What a title may show of a frame, whose text comes from outside. */
const NAME = /^[A-Za-z_]\w{0,60}(?:\.\w{1,60}){0,2}$/;
/** A constructor stands for its class. */
const CONSTRUCTOR = /\.__(?:init|new)__$/;

/**
 * "`AsyncClient` of httpx", "the result of `get_dependant` of fastapi"
 * @param {FrameIdentity} identity @returns {string | null} null: not one that can be shown
 */
function nameBuilt(identity) {
  const owner = packageOf(identity);
  const name = identity.qualified.replace(CONSTRUCTOR, '');
  if (!NAME.test(name) || !NAME.test(owner.replaceAll('/', '.'))) return null;
  return `${name === identity.qualified ? 'the result of ' : ''}\`${name}\` of ${owner}`;
}

/** @param {Cause} cause @param {FrameIdentity[]} identities of a profile @returns {Cause[]} */
function nameCauses(cause, identities) {
  const found = identities.filter(one => cause.evidence.some(({ matches }) => matches(one)));
  return [...Map.groupBy(found, nameBuilt)].flatMap(([name, own]) => {
    if (name === null) return [];
    const keyOf = (/** @type {FrameIdentity} */ { path, qualified }) => `${path} ${qualified}`;
    const [keys, paths] = [new Set(own.map(keyOf)), new Set(own.map(({ path }) => path))];
    const isOwn = Object.assign((/** @type {FrameIdentity} */ one) => keys.has(keyOf(one)), {
      isPlace: (/** @type {FrameIdentity} */ { path }) => paths.has(path),
    });
    const named = {
      ...cause,
      id: `${cause.id}:${name}`,
      title: cause.title.replace('{name}', name),
      phrase: cause.phrase.replace('{name}', name),
      evidence: cause.evidence
        .filter(({ matches }) => own.some(matches))
        .map(pattern => ({ ...pattern, matches: isOwn })),
    };
    return [addAdvice(named, new Set(own.flatMap(nameOwners)))];
  });
}
