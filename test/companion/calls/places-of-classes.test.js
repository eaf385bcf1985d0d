import assert from 'node:assert/strict';
import { python } from '../../helpers/companion.js';
import { test } from '../../helpers/quiet.js';

test('a class without source is looked for once, and its view is a function', () => {
  const program = `
import inspect, json
import loadflame_companion as companion
looks = []
def look(owner, real=inspect.getsourcelines):
    looks.append(owner)
    return real(owner)
inspect.getsourcelines = look
def view(request): pass
view.cls = type("WrappedAPIView", (), {"__module__": "json.decoder"})
class Frame:
    f_locals = {"callback": view}
places = [companion.place_of_view(Frame) for _ in range(100)]
print(json.dumps([len(looks), places[0][2], places[0] == places[99]]))`;
  assert.deepEqual(python(['-c', program]), [1, 'view', true]);
});

test('a serializer that leaves the work to its base has a name and no line: none of its own asks for anything', () => {
  const program = `
import json, types
import loadflame_companion as companion
frame = types.SimpleNamespace(f_locals={"self": json.JSONDecoder()})
file, line, name = companion.place_of_class(frame)
print(json.dumps([file.endswith("decoder.py"), line, name]))`;
  assert.deepEqual(python(['-c', program]), [true, null, 'JSONDecoder']);
});
