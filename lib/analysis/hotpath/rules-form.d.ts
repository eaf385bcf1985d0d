// A rules file as it is written, the user's and our own. `npm run check -- --fix` makes `rules-form.schema.json` of it;
// docs/rules.md explains the keys. Comments that begin with two asterisks are parts of errors.

import type { LineWork, Origin, WaitKind } from '../../run/facts/rules.d.ts';

/** @minLength 1 */
type Text = string;

/** @minItems 1 */
type Texts = Text[];

/**
 * an id of small letters, digits and dashes, with a letter first
 * @pattern ^[a-z][a-z0-9-]*$
 */
type Id = string;

/**
 * @minimum 0
 * @maximum 1
 */
type Share = number;

/**
 * @minimum 0
 * @maximum 100
 */
type Strength = number;

/**
 * a colour such as "#1f77b4"
 * @pattern ^#[0-9a-fA-F]{6}$
 */
type Color = string;

interface Frame {
  packages?: Texts;
  files?: Texts;
  functions?: Texts;
  origin?: Origin;
  does?: LineWork;
}

/** @minProperties 1 */
interface OtherFrame extends Frame {}

/** @minItems 1 */
type OtherFrames = OtherFrame[];

interface Place extends Frame {
  except?: OtherFrames;
}

interface Category {
  id: Id;
  label?: Text;
  plural?: boolean;
  color?: Color;
  order?: number;
  strength?: Strength;
  about?: Text;
  flagAbove?: Share;
}

/** @atLeastOne ["packages", "files", "functions"] */
interface FrameRule extends Place {
  category?: Id;
  kind?: 'owner' | 'passthrough' | 'entry' | 'helper';
  request?: boolean;
}

/** @atLeastOne ["packages", "files", "functions"] */
interface WaitingRule extends Place {
  id: Id;
  title: Text;
  notIn?: Id[];
  untimed?: boolean;
  below?: OtherFrames;
  notBelow?: OtherFrames;
}

interface WaitKindLook {
  id: WaitKind | 'other';
  label: Text;
  color: Color;
}

/** @atLeastOne ["packages", "files", "functions"] */
interface WaitRule extends Place {
  kind: WaitKind | 'other';
  /**
   * @minimum 1
   * @maximum 9
   */
  rank: number;
  as?: 'file-lock' | 'import' | 'future' | 'pipe' | 'connect' | 'message' | 'cached-property';
  below?: Texts;
}

/** @atLeastOne ["packages", "files", "functions"] */
interface GilRelease extends Place {
  isLong?: boolean;
}

/** @minProperties 1 */
interface Evidence extends Place {
  category?: Id;
  /** @minItems 1 */
  in?: Id[];
  inLoop?: boolean;
  below?: OtherFrames;
  notBelow?: OtherFrames;
}

interface Cause {
  id: Id;
  title: Text;
  phrase: Text;
  fix: Text;
  severity?: 'bad' | 'warn' | 'info';
  priority?: Strength;
  inRequest?: boolean;
  cached?: boolean;
  notLocal?: boolean;
  repeats?: boolean;
  named?: boolean;
  ofSmallParts?: boolean;
  forAll?: boolean;
  /** @minItems 1 */
  notIn?: Id[];
  minShare?: Share;
  effects?: Texts;
  /** @minItems 1 */
  frames: Evidence[];
  handedOver?: { by: OtherFrames; to: OtherFrames };
  explanation: Text;
  advice: Text;
  expected?: { at: Texts; explanation: Text; advice: Text };
  where?: { packages: Texts; fix?: Text; explanation?: Text; advice?: Text }[];
}

export interface RulesForm {
  categories?: Category[];
  frames?: FrameRule[];
  waiting?: WaitingRule[];
  waitKinds?: WaitKindLook[];
  waits?: WaitRule[];
  gilReleases?: GilRelease[];
  causes?: Cause[];
  counted?: { id: Id; title: Text }[];
  smallCalls?: Texts;
  bigCalls?: Texts;
  installed?: Texts;
  standardPackages?: Texts;
  standardModules?: Texts;
}
