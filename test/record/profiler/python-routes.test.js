import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPythonRoutes, readUrlTable } from '../../../lib/record/profiler/python-routes.js';

/** @param {string} source */
const listRoutes = source =>
  readPythonRoutes(source).map(
    ({ function: name, path, methods }) => `${methods.join('|')} ${path} ${name}`,
  );

test('decorators of functions, with others between, over several lines', () => {
  const source = `
@api.route('/alerts', methods=['OPTIONS', "GET"])
@cross_origin()
@permission(Scope.read_alerts)
# a comment
def search_alerts():
    pass

@app.get("/items/{item_id}", response_model=Item)
async def read_item(item_id): pass

@bp.route(
    "/top10",
)
@bp.route("/topn", methods=("GET", "POST"))
def top(): ...

def create_app():
    app = Flask(__name__)

    @app.route('/')
    def index():
        return helper()

    def helper(): ...
`;
  assert.deepEqual(listRoutes(source), [
    'OPTIONS|GET /alerts search_alerts',
    'GET /items/{item_id} read_item',
    'GET /top10 top',
    'GET|POST /topn top',
    'GET / create_app.<locals>.index',
  ]);
});

test('what decorates a class is of its methods of HTTP', () => {
  const source = `
@ns.route('/citizens/', '/people/')
class Citizens(Resource):
    @ns.marshal_with(model)
    def get(self):
        def post(): ...
    def put(self, id): ...
    def helper(self): ...

class Other:
    def get(self): ...
`;
  assert.deepEqual(listRoutes(source), [
    'GET /citizens/ Citizens.get',
    'PUT /citizens/ Citizens.put',
  ]);
});

test('what is no route, or not written there, is none', () => {
  const source = `
@cache.get('key')
def a(): ...
@app.route(PREFIX + '/x')
def b(): ...
@app.route(f'/{name}')
def c(): ...
@functools.wraps(f)
def d(): ...
@app.route('/e')
x = 1
def e(): ...
`;
  assert.deepEqual(listRoutes(source), []);
  assert.deepEqual(listRoutes('@app.route("/open'), []);
});

test('the table of URLs of Django gives routes to its functions and to the methods of its classes', () => {
  const urls = `
from django.urls import include, path
from . import views
from .views import Login, item as one
from shop.views import Statistics
from other.views import search
urlpatterns = [
    path("login/", Login.as_view(), name="login"),
    path("items/<int:pk>/", one),
    path("items/", views.Items.as_view(queryset=None)),
    path("statistics/", Statistics.as_view()),
    path("search/", search),
    path("closed/", login_required(views.closed)),
    path(PREFIX + "x/", views.x),
    path("more/", include("more.urls")),
]
`;
  const source = `
class Login(APIView):
    def post(self, request): ...
class Items(generics.ListAPIView):
    def get_queryset(self): ...
class Statistics(APIView):
    def get(self, request): ...
def item(request, pk): ...
def search(request): ...
def closed(request): ...
`;
  const routes = readPythonRoutes(source, readUrlTable(urls, ['shop', 'views']));
  assert.deepEqual(
    routes.map(({ function: name, path, methods }) => `${methods.join('|')} ${path} ${name}`),
    [
      'POST login/ Login.post',
      'GET statistics/ Statistics.get',
      'GET|POST|PUT|PATCH|DELETE items/<int:pk>/ item',
    ],
  );
  assert.deepEqual(readUrlTable(urls, ['shop', 'reviews']), new Map());
  assert.deepEqual(readUrlTable(urls.replace('from . ', 'from .. '), ['shop', 'views']), new Map());
  const own = readUrlTable('from django.urls import path\npath("a/", A.as_view())');
  assert.deepEqual([...own], [['A', ['a/']]]);
});
