/** In the place of what Artillery's modules import (`artillery-modules.js`). */
import { createRequire } from 'node:module';

const require = createRequire(createRequire(import.meta.url).resolve('artillery/package.json'));

/** cheerio, loaded with the first selector that is captured. @param {unknown[]} args */
export const load = (...args) => require('cheerio').load(...args);

/** Of a runner that nobody runs. */
export default class {}
export const SSMS = null;
export const v4 = null;
