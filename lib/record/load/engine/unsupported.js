/**
 * What `LoadflameEngine.createScenario` throws for a scenario that it does not run: the host gives it
 * to Artillery's engine and says so.
 */
export class Unsupported extends Error {
  /** @param {string} feature e.g. `the step "connect"` */
  constructor(feature) {
    super(`loadflame's engine does not support ${feature}`);
    this.name = 'Unsupported';
    this.feature = feature;
  }
}
