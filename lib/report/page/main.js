import { markReady, readData } from './dom.js';
import { mountReport } from './report-page.js';

const { ready } = mountReport({ report: readData('report'), content: readData('content') });
await ready;
await markReady();
// the sections did not exist yet when the browser looked for the address's fragment
if (location.hash && !location.hash.includes('='))
  document.getElementById(location.hash.slice(1))?.scrollIntoView();
