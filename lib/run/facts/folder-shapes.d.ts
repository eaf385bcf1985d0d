/** What is read from folders and from a history; `npm run check -- --fix` makes `lib/run/folder-shapes.schema.json` of it. */

import type { FindShapes } from './find.d.ts';
import type { GateShapes } from './gate.d.ts';
import type { HistoryShapes } from './history.d.ts';
import type { RunShapes } from './records.d.ts';
import type { StudyShapes } from './study-records.d.ts';

export interface FolderShapes
  extends RunShapes,
    StudyShapes,
    HistoryShapes,
    GateShapes,
    FindShapes {}
