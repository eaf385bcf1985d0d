// `loadflame:` of a script as a user writes it. `npm run check -- --fix` makes `block-form.schema.json` of it;
// docs/scenarios.md explains the keys. Comments that begin with two asterisks are parts of errors.

type Word = string | number | boolean;

/**
 * @minLength 1
 * @maxLength 500
 */
type Sentence = string;

interface Variable {
  about?: Sentence;
  default?: Word;
  type?: 'text' | 'id' | 'number' | 'duration' | 'url';
  /** @format regex */
  pattern?: string;
  secret?: boolean;
}

/** @dependencies {"value": ["json"], "json": ["value"]} */
interface Expectation {
  /**
   * @asType integer
   * @minimum 100
   * @maximum 599
   */
  status?: number;
  /**
   * a path such as $.status
   * @format jsonPath
   */
  json?: string;
  value?: Word;
}

interface Check {
  name?: Sentence;
  /**
   * a path such as /health
   * @format path
   */
  get: string;
  expect?: Expectation;
  optional?: boolean;
  hint?: Sentence;
}

// Of a scenario, and of `config`.
interface Common {
  auth?: boolean;
  engine?: 'loadflame' | 'artillery';
}

interface Block extends Common {
  /** @exclusiveMinimum 0 */
  hookTimeout?: number;
  example?: boolean;
  /** @propertyNames {"format": "variable"} */
  variables?: Record<string, Variable>;
  /** @maxItems 100 */
  checks?: Check[];
}

export interface BlockForm {
  config: Block;
  scenario: Common;
}
