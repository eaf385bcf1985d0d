/**
 * What the settings say of where gunicorn is, as `findGunicorn` wants it.
 * @param {import('./read-config.js').Config} config
 * @returns {{pid: number | null, pidFile: string | null, controlSocket: string | null, target: string | null}}
 */
export function readGunicornPlace(config) {
  return {
    pid: config.get('GUNICORN_PID'),
    pidFile: config.get('GUNICORN_PID_FILE'),
    controlSocket: config.get('GUNICORN_CONTROL_SOCKET'),
    target: config.get('TARGET'),
  };
}
