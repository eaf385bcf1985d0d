import { unpackBytes } from '../../analysis/sample-table/unpack.js';
import { giveToSpeedscope } from './flame/speedscope.js';

const { name, profile } = JSON.parse(document.getElementById('profile')?.textContent ?? '');
giveToSpeedscope(document, new Uint8Array(await unpackBytes(profile)), name);
