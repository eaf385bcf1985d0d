/** The shape of a study file; docs/studies.md explains the keys. What names mean is checked later. */
import {
  action,
  map,
  match,
  named,
  numberOrTemplate,
  probe,
  processGroup,
  regex,
  service,
  share,
  text,
  time,
  word,
} from './schema-parts.js';

const positive = { type: 'number', exclusiveMinimum: 0, maximum: 1_000_000 };

/** `[1, 2, 4]`, or a map of labels and what each stands for */
const factor = {
  type: ['array', 'object'],
  minItems: 1,
  maxItems: 200,
  items: word,
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
    model: { enum: ['closed', 'open'] },
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
    until: { enum: ['saturated', 'all'] },
    stop: map({
      gain: share,
      gainSteps: { type: 'integer', minimum: 1, maximum: 10 },
      p95: time,
      errors: share,
      skipped: share,
    }),
  },
  { required: ['steps'] },
);

const objective = map(
  {
    rate: { type: ['number', 'string'], exclusiveMinimum: 0, format: 'rate' },
    clients: positive,
    interval: time,
    p95: time,
    errors: share,
    headroom: share,
  },
  { atMostOne: ['rate', 'clients'] },
);

export const STUDY_SCHEMA = map(
  {
    title: { ...text, maxLength: 300, description: 'one line that says what the study is about' },
    question: { ...text, maxLength: 1000 },
    variables: named(word),
    factors: named(factor),
    exclude: { type: 'array', maxItems: 1000, items: match },
    ports: {
      ...named({ type: 'integer', minimum: 1, maximum: 100 }),
      type: ['array', 'object'],
      items: { type: 'string', format: 'name' },
      maxItems: 200,
    },
    services: named(service),
    target: map(
      {
        url: { ...text, description: 'the address of the API under test' },
        gunicorn: map(
          { service: text, pidFile: text, pid: numberOrTemplate },
          { exactlyOne: ['service', 'pidFile', 'pid'] },
        ),
        workers: numberOrTemplate,
      },
      { required: ['url'], description: 'a map with the url of the API under test' },
    ),
    settings: named(word, 'variable'),
    lists: named(
      map(
        {
          from: { ...text, description: 'a path of the target, an address, or file:<path>' },
          match: { ...regex, description: 'a regular expression with a group, or $.json.path[*]' },
          order: { enum: ['random', 'sequence'] },
        },
        { required: ['from', 'match'] },
      ),
    ),
    scenario: {
      type: ['string', 'object'],
      minLength: 1,
      required: ['scenarios'],
      description: 'an Artillery script, or the name of its file',
    },
    load: { ...load, description: 'a map with steps, such as load: {steps: [1, 2, 4, 8]}' },
    warmUp: time,
    duration: time,
    settle: time,
    repeats: { type: 'integer', minimum: 1, maximum: 100 },
    seed: { type: 'integer', minimum: 0, maximum: 4_294_967_295 },
    record: map({
      profile: { enum: ['off', 'plateau'] },
      processes: named(processGroup),
      probes: named(probe),
    }),
    reset: { type: 'array', maxItems: 100, items: action },
    answers: text,
    throughput: map({ probe: text, field: text, label: text }, { required: ['probe', 'field'] }),
    stages: {
      type: 'array',
      maxItems: 50,
      items: map(
        {
          name: { type: 'string', format: 'label' },
          backlog: { type: 'string', format: 'backlog' },
          servers: numberOrTemplate,
        },
        { required: ['name', 'backlog'] },
      ),
    },
    scaleOver: text,
    objective,
  },
  { required: ['title', 'target', 'scenario', 'load'] },
);
