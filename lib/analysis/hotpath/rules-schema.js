/** The shape of a rules file, for the user's and our own; `docs/rules.md` explains the keys. */
import { list, map, mapWith } from '../../base/files/check-shape.js';

const text = { type: 'string', minLength: 1 };
const texts = list(text, { minItems: 1 });
const id = {
  type: 'string',
  pattern: '^[a-z][a-z0-9-]*$',
  description: 'an id of small letters, digits and dashes, with a letter first',
};
const ids = list(id, { minItems: 1 });
const share = { type: 'number', minimum: 0, maximum: 1 };
const color = {
  type: 'string',
  pattern: '^#[0-9a-fA-F]{6}$',
  description: 'a colour such as "#1f77b4"',
};
const waitKinds =
  'database external-call child-process lock pool queue thread-pool sleep client socket file cpu gil other'.split(
    ' ',
  );

const frame = {
  packages: texts,
  files: texts,
  functions: texts,
  origin: { enum: ['user', 'installed', 'standard', 'native'] },
  does: { enum: ['drops-log', 'again', 'cache', 'search', 'turn', 'constant'] },
};
const others = list(map(frame, { minProperties: 1 }), { minItems: 1 });
const place = { ...frame, except: others };
const depth = { below: others, notBelow: others };

/** Rules that select frames. @param {Record<string, object>} properties @param {string[]} [required] */
const rules = (properties, required = []) =>
  list(
    map(
      { ...properties, ...place },
      { required, anyOf: ['packages', 'files', 'functions'].map(key => ({ required: [key] })) },
    ),
  );

/** Entries that need some of their keys. @param {string[]} required @param {Record<string, object>} properties */
const entries = (required, properties) => list(mapWith(required, properties));

export const RULES_SCHEMA = map({
  categories: entries(['id'], {
    id,
    label: text,
    plural: { type: 'boolean' },
    color,
    order: { type: 'number' },
    strength: { type: 'number', minimum: 0, maximum: 100 },
    about: text,
    flagAbove: share,
  }),
  frames: rules({
    category: id,
    kind: { enum: ['owner', 'passthrough', 'entry', 'helper'] },
    request: { type: 'boolean' },
  }),
  waiting: rules({ id, title: text, notIn: list(id), untimed: { type: 'boolean' }, ...depth }, [
    'id',
    'title',
  ]),
  waitKinds: entries(['id', 'label', 'color'], {
    id: { enum: waitKinds },
    label: text,
    color,
  }),
  waits: rules(
    {
      kind: { enum: waitKinds },
      rank: { type: 'number', minimum: 1, maximum: 9 },
      as: { enum: ['file-lock', 'import', 'future', 'pipe', 'connect'] },
      below: texts,
    },
    ['kind', 'rank'],
  ),
  gilReleases: rules({ isLong: { type: 'boolean' } }),
  causes: entries(['id', 'title', 'phrase', 'fix', 'frames', 'explanation', 'advice'], {
    id,
    title: text,
    phrase: text,
    fix: text,
    severity: { enum: ['bad', 'warn', 'info'] },
    priority: { type: 'number', minimum: 0, maximum: 100 },
    inRequest: { type: 'boolean' },
    cached: { type: 'boolean' },
    notLocal: { type: 'boolean' },
    repeats: { type: 'boolean' },
    named: { type: 'boolean' },
    notIn: ids,
    minShare: share,
    effects: texts,
    explanation: text,
    advice: text,
    expected: mapWith(['at', 'explanation', 'advice'], {
      at: texts,
      explanation: text,
      advice: text,
    }),
    where: entries(['packages'], { packages: texts, fix: text, explanation: text, advice: text }),
    frames: list(map({ ...place, category: id, in: ids, ...depth }, { minProperties: 1 }), {
      minItems: 1,
    }),
  }),
  counted: entries(['id', 'title'], { id, title: text }),
  smallCalls: texts,
  bigCalls: texts,
  installed: texts,
  standardPackages: texts,
  standardModules: texts,
});
