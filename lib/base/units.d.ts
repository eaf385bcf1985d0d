/** Kinds of values, each printed in its own way. */

export type ThresholdUnit = 'ms' | 'perSec' | 'share' | 'count' | 'bytes';
