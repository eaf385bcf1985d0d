/** What is read from folders; `npm run check -- --fix` makes `lib/run/folder-shapes.schema.json` of it. */

import type { RunShapes } from './records.d.ts';
import type { StudyShapes } from './study-records.d.ts';

export interface FolderShapes extends RunShapes, StudyShapes {}
