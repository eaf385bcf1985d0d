/** The shape of a study file; docs/studies.md explains the keys. The meaning of names is checked later. */
import { list, map, mapWith } from '../../../base/files/check-shape.js';
import { FORMATS } from './formats.js';

const text = { type: 'string', minLength: 1 };
/** a text, or a number that stands for one */
const word = { type: ['string', 'number', 'boolean'] };
const time = { type: 'string', format: 'time' };
const share = { type: 'string', format: 'share' };
const regex = { type: 'string', format: 'regex', minLength: 1, maxLength: 2000 };
/** a number, or a template that results in one */
const numberOrTemplate = { type: ['number', 'string'] };
const command = {
  type: 'string',
  format: 'command',
  maxLength: 20_000,
  description: FORMATS.command?.allowed,
};

/**
 * A map whose keys are names that the user gives.
 * @param {object} values @param {string} format of the keys @param {object} [rest]
 */
function named(values, format = 'name', rest) {
  return {
    type: 'object',
    maxProperties: 200,
    propertyNames: { format },
    additionalProperties: values,
    ...rest,
  };
}

/** factor → its label, or a list of labels; checked against the study's factors later */
const match = {
  type: 'object',
  minProperties: 1,
  additionalProperties: {
    type: ['string', 'number', 'boolean', 'array'],
    minItems: 1,
    items: word,
  },
};

const secrets = list({ type: 'string', format: 'variable' }, { maxItems: 100 });

const service = mapWith(['command'], {
  when: match,
  command,
  env: named(word, 'variable'),
  secrets,
  ready: map(
    { port: numberOrTemplate, url: text, log: regex, timeout: time },
    { atMostOne: ['port', 'url', 'log'] },
  ),
  stopSignal: { enum: ['SIGTERM', 'SIGINT', 'SIGQUIT'] },
});

const processGroup = map(
  {
    service: text,
    pidFile: text,
    port: numberOrTemplate,
    commandLine: regex,
    members: { enum: ['all', 'children', 'main'] },
    cores: numberOrTemplate,
  },
  { exactlyOne: ['service', 'pidFile', 'port', 'commandLine'] },
);

const probe = map({ url: text, command, every: time }, { exactlyOne: ['url', 'command'] });

const positive = { type: 'number', exclusiveMinimum: 0, maximum: 1_000_000 };

/** `[1, 2, 4]`, or a map of labels to what each stands for */
const factor = {
  type: ['array', 'object'],
  minItems: 1,
  maxItems: 200,
  uniqueItems: true,
  items: { ...word, format: 'label', minimum: 0 },
  minProperties: 1,
  maxProperties: 200,
  propertyNames: { format: 'label' },
  additionalProperties: {
    type: ['object', 'null'],
    propertyNames: { format: 'name' },
    additionalProperties: word,
  },
};

const load = map(
  {
    model: { enum: ['closed', 'open', 'burst', 'spike'] },
    of: { ...text, description: 'the name of the scenario that there is a spike of' },
    base: { ...positive, description: 'arrivals per second of all scenarios, all the time' },
    steps: {
      type: ['array', 'object'],
      description: 'a list such as [1, 2, 4, 8], or {from: 1, factor: 2, most: 64}',
      minItems: 1,
      maxItems: 100,
      items: positive,
      additionalProperties: false,
      properties: {
        from: positive,
        factor: { type: 'number', minimum: 1.05, maximum: 100 },
        most: { ...positive, description: 'the last step' },
      },
      required: ['most'],
    },
    cpus: numberOrTemplate,
    stop: map({ gain: share, p95: time, errors: share, skipped: share }),
  },
  { required: ['steps'], dependencies: { of: ['base'], base: ['of'] } },
);

const objective = map(
  {
    rate: { type: ['number', 'string'], exclusiveMinimum: 0, format: 'rate' },
    clients: { ...positive, description: 'how many come once in the interval' },
    interval: { ...time, description: 'in which each client comes once, e.g. 30m' },
    p95: time,
    errors: share,
    headroom: share,
    when: match,
  },
  {
    atMostOne: ['rate', 'clients'],
    dependencies: { clients: ['interval'], interval: ['clients'] },
  },
);

const gunicorn = map(
  { service: text, pidFile: text, pid: numberOrTemplate },
  { exactlyOne: ['service', 'pidFile', 'pid'] },
);

export const STUDY_SCHEMA = mapWith(['title', 'target', 'scenario', 'load'], {
  title: { ...text, maxLength: 300, description: 'one line that says what the study is about' },
  question: { ...text, maxLength: 1000 },
  factors: named(factor),
  exclude: list(match, { maxItems: 1000 }),
  ports: list({ type: 'string', format: 'name' }, { maxItems: 200 }),
  services: named(service),
  target: map(
    {
      url: { ...text, description: 'the address of the API under test' },
      gunicorn: {
        ...gunicorn,
        type: ['object', 'array'],
        items: gunicorn,
        minItems: 1,
        maxItems: 100,
        description: 'a map such as {service: api}, or a list of such',
      },
    },
    { required: ['url'], description: 'a map with the url of the API under test' },
  ),
  settings: named(word, 'variable'),
  secrets,
  scenario: {
    type: ['string', 'object'],
    minLength: 1,
    required: ['scenarios'],
    properties: { scenarios: { type: 'array', minItems: 1 } },
    description: 'an Artillery script, or the name of its file',
  },
  load: { ...load, description: 'a map with steps, such as load: {steps: [1, 2, 4, 8]}' },
  warmUp: time,
  duration: time,
  settle: time,
  repeats: { type: 'integer', minimum: 1, maximum: 100 },
  record: map({
    profile: { enum: ['off', 'plateau'] },
    processes: named(processGroup),
    probes: named(probe),
  }),
  setup: command,
  prepare: command,
  reset: command,
  cleanup: command,
  answers: text,
  throughput: mapWith(['probe', 'field'], { probe: text, field: text, label: text }),
  stages: list(
    mapWith(['name', 'backlog'], {
      name: { type: 'string', format: 'label' },
      backlog: { type: 'string', format: 'backlog' },
      servers: numberOrTemplate,
    }),
    { maxItems: 50 },
  ),
  scaleOver: text,
  workloads: list(text, { maxItems: 20 }),
  objective,
});
