/** What the parts of a study file may hold: services, and what is recorded. Part of `STUDY_SCHEMA`. */

export const text = { type: 'string', minLength: 1 };
/** a text, or a number that is meant as one */
export const word = { type: ['string', 'number', 'boolean'] };
export const time = { type: 'string', format: 'time' };
export const share = { type: 'string', format: 'share' };
export const regex = { type: 'string', format: 'regex', minLength: 1, maxLength: 2000 };
/** a number, or a template that gives one */
export const numberOrTemplate = { type: ['number', 'string'] };
const command = { type: 'array', minItems: 1, maxItems: 1000, items: word };
const commands = { type: 'array', maxItems: 100, items: command };

/** @param {Record<string, object>} properties @param {object} [rest] */
export function map(properties, rest) {
  return { type: 'object', additionalProperties: false, properties, ...rest };
}

/**
 * A map whose keys are names that the user gives.
 * @param {object} values @param {string} format of the keys @param {object} [rest]
 */
export function named(values, format = 'name', rest) {
  return {
    type: 'object',
    maxProperties: 200,
    propertyNames: { format },
    additionalProperties: values,
    ...rest,
  };
}

/** factor → its label, or a list of labels; names are compared with the study's factors later on */
export const match = {
  type: 'object',
  minProperties: 1,
  additionalProperties: {
    type: ['string', 'number', 'boolean', 'array'],
    minItems: 1,
    items: word,
  },
};

export const service = map(
  {
    when: match,
    scope: { enum: ['variant', 'study'] },
    command: { ...command, description: 'a list of the program and its arguments' },
    prepare: commands,
    after: commands,
    env: named(word, 'variable'),
    files: named({ type: 'string' }, 'fileName'),
    user: { type: 'string', format: 'user' },
    cwd: text,
    ready: map(
      {
        port: numberOrTemplate,
        url: text,
        status: { type: 'integer', minimum: 100, maximum: 599 },
        log: regex,
        command,
        timeout: time,
      },
      { atMostOne: ['port', 'url', 'log', 'command'] },
    ),
    stopSignal: { enum: ['SIGTERM', 'SIGINT', 'SIGQUIT'] },
    install: text,
  },
  { required: ['command'] },
);

export const processGroup = map(
  {
    service: text,
    pidFile: text,
    port: numberOrTemplate,
    commandLine: regex,
    cgroup: text,
    members: { enum: ['all', 'children', 'main'] },
    cores: numberOrTemplate,
  },
  { exactlyOne: ['service', 'pidFile', 'port', 'commandLine', 'cgroup'] },
);

export const probe = map({ url: text, command, every: time }, { exactlyOne: ['url', 'command'] });

export const action = map(
  {
    request: { type: 'string', format: 'request' },
    body: { type: 'string' },
    command,
    wait: map(
      { probe: text, field: text, most: { type: 'number' } },
      { required: ['probe', 'field'] },
    ),
    timeout: time,
  },
  { exactlyOne: ['request', 'command', 'wait'] },
);
