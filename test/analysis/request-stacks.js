/** Beginnings of stacks: a thread, a request of gthread and Flask in it, a view, and its statement. */
export const BOOT = 'Thread._bootstrap (threading.py:1002);Thread.run (threading.py:982)';
export const REQUEST = `${BOOT};_worker (concurrent/futures/thread.py:83);ThreadWorker.handle (gunicorn/workers/gthread.py:553);ThreadWorker.handle_request (gunicorn/workers/gthread.py:771);Flask.wsgi_app (flask/app.py:1500)`;
export const VIEW = `${REQUEST};list_rows (api/views.py:12)`;
export const EXECUTE = `${VIEW};Session.execute (sqlalchemy/orm/session.py:2362)`;
