import { startAsgi } from '../../helpers/asgi.js';
import { declareMounted, declareTasks } from './declare-asgi.js';

const env = { LOADFLAME: '1', MIDDLEWARE: '1' };
declareTasks('in a task of a middleware', t => startAsgi(t, { env }));
declareMounted('/other', ['a2wsgi']);
