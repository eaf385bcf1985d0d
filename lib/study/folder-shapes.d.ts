/** What is read from folders; `npm run schemas` makes `lib/folder-shapes.schema.json` of it. */
import type { RunShapes } from '../run/records.d.ts';
import type { StudyShapes } from './study-records.d.ts';

export interface FolderShapes extends RunShapes, StudyShapes {}
