// A study file as a user writes it, without its `quick:`. `npm run check -- --fix` makes `study-form.schema.json` of it;
// docs/studies.md explains the keys. What names mean is checked later. Comments that begin with two asterisks are parts
// of errors.

/** @minLength 1 */
type Text = string;

// A text, or a number that stands for one.
type Word = string | number | boolean;

// A number, or a template that results in one.
type NumberOrTemplate = number | string;

/** @format time */
type Time = string;

/** @format share */
type Share = string;

/**
 * @format regex
 * @minLength 1
 * @maxLength 2000
 */
type Regex = string;

/**
 * a line for the shell, such as: redis-server --port $STUDY_PORT
 * @format command
 * @maxLength 20000
 */
type Command = string;

/** @format name */
type Name = string;

/** @format label */
type Label = string;

/**
 * @exclusiveMinimum 0
 * @maximum 1000000
 */
type Positive = number;

/**
 * @maxProperties 200
 * @propertyNames {"format": "name"}
 */
type Named<Value> = Record<string, Value>;

/**
 * @maxProperties 200
 * @propertyNames {"format": "variable"}
 */
type Environment = Record<string, Word>;

/** @format variable */
type Variable = string;

/** @maxItems 100 */
type Secrets = Variable[];

/** @minItems 1 */
type Words = Word[];

// Factor → its label, or a list of labels.
/** @minProperties 1 */
type Match = Record<string, string | number | boolean | Words>;

/** @atMostOne ["port", "url", "log"] */
interface Ready {
  port?: NumberOrTemplate;
  url?: Text;
  log?: Regex;
  timeout?: Time;
}

interface Service {
  when?: Match;
  command: Command;
  env?: Environment;
  secrets?: Secrets;
  ready?: Ready;
  stopSignal?: 'SIGTERM' | 'SIGINT' | 'SIGQUIT';
}

/** @exactlyOne ["service", "pidFile", "port", "commandLine"] */
interface ProcessGroup {
  service?: Text;
  pidFile?: Text;
  port?: NumberOrTemplate;
  commandLine?: Regex;
  members?: 'all' | 'children' | 'main';
  cores?: NumberOrTemplate;
}

/** @exactlyOne ["url", "command"] */
interface Probe {
  url?: Text;
  command?: Command;
  every?: Time;
}

/**
 * @format label
 * @minimum 0
 */
type FactorLabel = string | number | boolean;

/** @propertyNames {"format": "name"} */
type FactorFields = Record<string, Word>;

/**
 * @minItems 1
 * @maxItems 200
 * @uniqueItems true
 */
type FactorLabels = FactorLabel[];

/**
 * @minProperties 1
 * @maxProperties 200
 * @propertyNames {"format": "label"}
 */
type LabelledFactors = Record<string, FactorFields | null>;

interface Stop {
  gain?: Share;
  p95?: Time;
  errors?: Share;
  skipped?: Share;
}

/**
 * @minItems 1
 * @maxItems 100
 */
type Steps = Positive[];

interface StepsUntil {
  from?: Positive;
  /**
   * @minimum 1.05
   * @maximum 100
   */
  factor?: number;
  /** the last step */
  most: Positive;
}

/** @dependencies {"of": ["base"], "base": ["of"]} */
interface Load {
  model?: 'closed' | 'open' | 'burst' | 'spike';
  /** the name of the scenario that there is a spike of */
  of?: Text;
  /** arrivals per second of all scenarios, all the time */
  base?: Positive;
  /** a list such as [1, 2, 4, 8], or {from: 1, factor: 2, most: 64} */
  steps: Steps | StepsUntil;
  cpus?: NumberOrTemplate;
  stop?: Stop;
}

/**
 * @atMostOne ["rate", "clients"]
 * @dependencies {"clients": ["interval"], "interval": ["clients"]}
 */
interface Objective {
  /**
   * @exclusiveMinimum 0
   * @format rate
   */
  rate?: number | string;
  /** how many come once in the interval */
  clients?: Positive;
  /** in which each client comes once, e.g. 30m */
  interval?: Time;
  p95?: Time;
  errors?: Share;
  headroom?: Share;
  when?: Match;
}

/** @exactlyOne ["service", "pidFile", "pid"] */
interface Gunicorn {
  service?: Text;
  pidFile?: Text;
  pid?: NumberOrTemplate;
}

/**
 * @minItems 1
 * @maxItems 100
 */
type Gunicorns = Gunicorn[];

interface Target {
  /** the address of the API under test */
  url: Text;
  /** a map such as {service: api}, or a list of such */
  gunicorn?: Gunicorn | Gunicorns;
}

interface Script {
  /** @minItems 1 */
  scenarios: unknown[];
  [key: string]: unknown;
}

interface Stage {
  name: Label;
  /** @format backlog */
  backlog: string;
  servers?: NumberOrTemplate;
}

export interface StudyForm {
  /**
   * one line that says what the study is about
   * @minLength 1
   * @maxLength 300
   */
  title: string;
  /**
   * @minLength 1
   * @maxLength 1000
   */
  question?: string;
  factors?: Named<FactorLabels | LabelledFactors>;
  /** @maxItems 1000 */
  exclude?: Match[];
  /** @maxItems 200 */
  ports?: Name[];
  services?: Named<Service>;
  /** a map with the url of the API under test */
  target: Target;
  settings?: Environment;
  secrets?: Secrets;
  /** an Artillery script, or the name of its file */
  scenario: Text | Script;
  /** a map with steps, such as load: {steps: [1, 2, 4, 8]} */
  load: Load;
  warmUp?: Time;
  duration?: Time;
  settle?: Time;
  /**
   * @asType integer
   * @minimum 1
   * @maximum 100
   */
  repeats?: number;
  record?: {
    profile?: 'off' | 'plateau';
    processes?: Named<ProcessGroup>;
    probes?: Named<Probe>;
  };
  setup?: Command;
  prepare?: Command;
  reset?: Command;
  cleanup?: Command;
  answers?: Text;
  throughput?: { probe: Text; field: Text; label?: Text };
  /** @maxItems 50 */
  stages?: Stage[];
  scaleOver?: Text;
  /** @maxItems 20 */
  workloads?: Text[];
  objective?: Objective;
}
