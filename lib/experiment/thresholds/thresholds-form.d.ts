// A thresholds file as a user writes it; `npm run check -- --fix` makes `thresholds-form.schema.json` of it, and
// docs/thresholds.md explains the keys.

/** @format threshold */
type Line = string;

export interface ThresholdsForm {
  thresholds?: Line[];
  endpoints?: Record<string, Line[]>;
}
