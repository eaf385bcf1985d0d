/** The apps of the bench: how each is started, what is requested of it, and which line executes which statement how often. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

export const APPS = path.join(import.meta.dirname, 'apps');
/** Not the apps' own code. */
export const LIBRARIES = path.join(import.meta.dirname, 'site-packages');

/**
 * @typedef {{endpoint: string, times: number, text: RegExp, kind: 'sql' | 'http', file: string, line: number}} Mark
 *   `times`: executions per request; `text`: a part of the statement
 * @typedef {{name: string, server: 'gunicorn' | 'uvicorn' | 'demo', paths: readonly string[], marks: () => Mark[]}} App
 *   `paths`: requested by each user in this order; the first executes nothing, for it is also requested before the load
 */

/** /pool three times: else requests hardly ever wait for each other. */
const ROUTES = ['one', 'pool', 'books', 'again', 'pool', 'slow', 'open', 'pool', 'many'];
const PATHS = ['/none', ...ROUTES.map(name => `/${name}`)];

/** @type {readonly App[]} */
export const ALL = [
  shop('flask_sqlalchemy', 'gunicorn'),
  shop('fastapi_sqlalchemy', 'uvicorn'),
  shop('fastapi_asyncpg', 'uvicorn'),
  shop('django_rest', 'gunicorn'),
  {
    name: 'demo',
    server: 'demo',
    paths: [
      'echo',
      'citizens/',
      'services/?office_id=3',
      'categories/',
      'channels/',
      'exam_types/',
      'offices/',
      'appointments/',
      'offices/3/slots/',
    ].map(name => `/api/v1/${name}`),
    marks: () => [
      inDemo('citizens/', 'citizens', 'rows = get_session()', /FROM citizen/),
      inDemo('citizens/', 'citizens', 'return jsonify(', /FROM service_request/),
      inDemo('services/', 'lookup_rows', 'session.get(models.Office', /FROM office WHERE/),
      inDemo('services/', 'lookup_rows', 'session.get(models.Office', /^SELECT office_service/),
      inDemo('categories/', 'lookups', 'select(models.Category)', /FROM category/),
      inDemo('channels/', 'lookups', 'select(models.Channel)', /FROM channel/),
      inDemo('exam_types/', 'lookups', 'select(models.ExamType)', /FROM exam_type/),
      inDemo('offices/', 'lookups', 'scalars(query)', /FROM office/),
      inDemo('appointments/', 'appointments', 'scalars(query)', /^SELECT appointment/),
      inDemo('offices/:id/slots/', 'lookup_rows', 'session.get(models.Office', /FROM office/),
      inDemo('offices/:id/slots/', '../slots', 'in session.execute(query)', /FROM appointment/),
    ],
  },
];

/** @param {string} name @param {'gunicorn' | 'uvicorn'} server @returns {App} */
function shop(name, server) {
  return { name, server, paths: PATHS, marks: () => readMarks(`${name}.py`) };
}

/** Comments `# q:books 20 author`. @param {string} file @returns {Mark[]} */
function readMarks(file) {
  const lines = readFileSync(path.join(APPS, file), 'utf8').split('\n');
  return lines.flatMap((text, index) =>
    [...text.matchAll(/\bq:(\w+) (\d+) (\w+)(?= q:|$)/g)].map(([, route, times, word = '']) => ({
      endpoint: `GET /${route}`,
      times: Number(times),
      text: new RegExp(word === 'http' ? '' : `\\b${word}\\b`, 'i'),
      kind: /** @type {Mark['kind']} */ (word === 'http' ? 'http' : 'sql'),
      file,
      line: index + 1,
    })),
  );
}

/** @param {string} route @param {string} module @param {string} code of the only such line @param {RegExp} text @returns {Mark} */
function inDemo(route, module, code, text) {
  const file = path.posix.join('queue_management/resources', `${module}.py`);
  const folder = path.join(import.meta.dirname, '../../demo/api');
  const lines = readFileSync(path.join(folder, file), 'utf8').split('\n');
  const line = lines.findIndex(one => one.includes(code)) + 1;
  return { endpoint: `GET /api/v1/${route}`, times: 1, text, kind: 'sql', file, line };
}
