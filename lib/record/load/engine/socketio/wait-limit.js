const DEFAULT_TIMEOUT_SEC = 10;

/**
 * How long a step waits for what it expects: its own `timeout`, the script's, or 10 s.
 * @param {any} spec
 * @param {Record<string, any>} config
 */
export function waitLimitMs(spec, config) {
  return (Number(spec?.timeout) || Number(config.timeout) || DEFAULT_TIMEOUT_SEC) * 1000;
}
