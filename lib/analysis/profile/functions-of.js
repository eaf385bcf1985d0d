/**
 * Frames that differ only in their line are one function; the profile keeps lines, reports merge them.
 * @param {import('../../profile/profile.d.ts').Profile} profile
 * @returns {{ofFrame: Int32Array, functions: {function: string, file: string}[]}} per frame: index into `functions`
 */
export function mergeFunctions({ frames }) {
  /** @type {Map<string, number>} */
  const ids = new Map();
  /** @type {{function: string, file: string}[]} */
  const functions = [];
  const ofFrame = Int32Array.from(frames, ({ name, file }) => {
    const key = `${name}\0${file}`;
    const id = ids.get(key) ?? functions.push({ function: name, file }) - 1;
    ids.set(key, id);
    return id;
  });
  return { ofFrame, functions };
}

/** @param {{function: string, file: string}} of @returns {string} `name (file)` */
export const nameFunction = ({ function: name, file }) =>
  file === '' ? name : `${name} (${file})`;
