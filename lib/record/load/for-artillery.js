/** A prepared script as Artillery's own program needs it, with our plugin in it. */
import path from 'node:path';

/** Artillery puts scope and name together: `<folder>/artillery-plugin-` + `loadflame`. */
const PLUGIN_SCOPE = path.join(import.meta.dirname, 'plugin', 'artillery-plugin-');

/**
 * @param {Record<string, any>} script prepared; is not changed
 * @param {import('./messages.js').GeneratorFlags} flags
 * @returns {Record<string, any>}
 */
export function forArtillery(script, { output }) {
  const { http, plugins } = script.config;
  return {
    ...script,
    config: {
      ...script.config,
      // Total times are Artillery's only then.
      http: { ...http, extendedMetrics: true },
      plugins: {
        // Artillery adds this plugin anyway. Per URL with all its ids it makes metrics without end;
        // ours keeps them per endpoint. A file that is asked for has what Artillery writes by itself.
        ...(!output && {
          'metrics-by-endpoint': { ignoreUnnamedRequests: true, suppressOutput: true },
        }),
        ...plugins,
        loadflame: { scope: PLUGIN_SCOPE },
      },
    },
  };
}
