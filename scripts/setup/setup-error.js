/** Something on this machine is missing; `hint` says what to install. */
export class SetupError extends Error {
  /** @param {string} message @param {string} hint */
  constructor(message, hint) {
    super(message);
    this.hint = hint;
  }
}
