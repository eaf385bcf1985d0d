import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The clone. */
export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** What the set-up brings along that is neither npm's nor Python's. */
export const TOOLS = path.join(ROOT, '.tools');
