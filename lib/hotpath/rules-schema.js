/** The shape of a rules file, the user's and our own; `docs/rules.md` explains the keys. */

const texts = { type: 'array', minItems: 1, items: { type: 'string', minLength: 1 } };
const id = { type: 'string', pattern: '^[a-z][a-z0-9-]*$' };
const share = { type: 'number', minimum: 0, maximum: 1 };
const text = { type: 'string', minLength: 1 };

const place = {
  packages: texts,
  files: texts,
  functions: texts,
  notFunctions: texts,
  origin: { enum: ['user', 'installed', 'standard'] },
};
const pattern = {
  type: 'object',
  additionalProperties: false,
  minProperties: 1,
  properties: place,
};

export const RULES_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  properties: {
    categories: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['id'],
        properties: {
          id,
          label: text,
          plural: { type: 'boolean' },
          color: { type: 'string', pattern: '^#[0-9a-fA-F]{6}$' },
          order: { type: 'number' },
          strength: { type: 'number', minimum: 0, maximum: 100 },
          about: text,
          flagAbove: share,
        },
      },
    },
    frames: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        anyOf: [{ required: ['packages'] }, { required: ['files'] }, { required: ['functions'] }],
        properties: {
          category: id,
          kind: { enum: ['owner', 'passthrough', 'entry', 'helper'] },
          request: { type: 'boolean' },
          ...place,
        },
      },
    },
    waiting: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['id', 'title'],
        anyOf: [{ required: ['packages'] }, { required: ['files'] }, { required: ['functions'] }],
        properties: { id, title: text, notIn: { type: 'array', items: id }, ...place },
      },
    },
    waits: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['kind', 'rank'],
        anyOf: [{ required: ['packages'] }, { required: ['files'] }, { required: ['functions'] }],
        properties: {
          kind: {
            enum: ['database', 'external-call', 'lock', 'pool', 'sleep', 'client', 'socket'],
          },
          rank: { type: 'integer', minimum: 1, maximum: 9 },
          ...place,
        },
      },
    },
    causes: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['id', 'title', 'phrase', 'fix', 'frames', 'explanation', 'advice'],
        properties: {
          id,
          title: text,
          phrase: text,
          fix: text,
          severity: { enum: ['bad', 'warn', 'info'] },
          priority: { type: 'number', minimum: 0, maximum: 100 },
          inRequest: { type: 'boolean' },
          minShare: share,
          explanation: text,
          advice: text,
          frames: {
            type: 'array',
            minItems: 1,
            items: {
              type: 'object',
              additionalProperties: false,
              minProperties: 1,
              properties: {
                ...place,
                category: id,
                in: { type: 'array', minItems: 1, items: id },
                below: { type: 'array', minItems: 1, items: pattern },
                notBelow: { type: 'array', minItems: 1, items: pattern },
              },
            },
          },
        },
      },
    },
    installed: texts,
    standardPackages: texts,
    standardModules: texts,
  },
};
