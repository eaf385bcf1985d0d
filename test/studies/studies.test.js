import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { planStudy } from '../../lib/experiment/study/plan-study.js';
import { readStudy } from '../../lib/experiment/study/study-file/read-study.js';
import {
  fillTemplates,
  listPorts,
  makeVariables,
} from '../../lib/experiment/study/study-file/variables.js';

/** @import { StudyPlan } from '../../lib/run/facts/study-records.d.ts' */

const FOLDER = path.resolve(import.meta.dirname, '../../studies');
const PYTHON_PATH = path.resolve(FOLDER, '../demo/api');
/** Of its own modules: what Python or a package brings is no concern of a study. */
const OWN_MODULES = 'queue_management';

/** What a study of two minutes may be foreseen to take: there are a few seconds more than it needs. */
const QUICK_SEC = 130;
const ALL_QUICK_SEC = 15 * 60;
const FULL_SEC = 30 * 60;

const STUDIES = readdirSync(FOLDER).filter(name => name.endsWith('.yaml'));

test('there are seven studies of the demo and its servers, and one of an API of one’s own', () => {
  assert.deepEqual(STUDIES.toSorted(), [
    'connections.yaml',
    'content.yaml',
    'ingress.yaml',
    'mail.yaml',
    'my-api.yaml',
    'pingpong.yaml',
    'stacks.yaml',
    'tasks.yaml',
  ]);
});

for (const name of STUDIES) {
  test(`${name} is planned in both forms, and the quick one takes two minutes`, () => {
    const [full, quick] = [plan(name, false), plan(name, true)];
    for (const one of [full, quick]) {
      assert.ok(one.variants.length > 1, 'a study compares');
    }
    assert.ok(quick.estimate.seconds <= QUICK_SEC, `${quick.estimate.seconds} s`);
    assert.ok(full.estimate.seconds > quick.estimate.seconds);
    assert.ok(full.study.repeats >= 3, 'intervals are between repeats');
  });

  test(`the programs, modules and scenarios of ${name} exist`, () => {
    const named = [false, true].flatMap(isQuick => listNamedFiles(plan(name, isQuick)));
    for (const file of new Set(named)) assert.ok(existsSync(file), file);
  });

  test(`${name} stays on this machine`, () => {
    for (const file of listTexts(name)) {
      // Templates stand for what a study fills in: a password, a port.
      const text = readFileSync(file, 'utf8').replace(/\{\{[^}]*\}\}/g, 'filled');
      for (const [address] of text.matchAll(/\b\d{1,3}(\.\d{1,3}){3}\b/g))
        assert.equal(address, '127.0.0.1', file);
      for (const [, host] of text.matchAll(/\w:\/\/(?:[^\s"'/@]*@)?([^\s"':;/?#]+)/g))
        assert.ok(
          host === '127.0.0.1' || text.includes(`upstream ${host} {`),
          `${host} in ${file}`,
        );
      assert.doesNotMatch(text, /\blocalhost\b|\[::\w*\]|\*:\d/, file);
    }
  });
}

test('the studies of a router take half an hour each', () => {
  for (const name of ['connections.yaml', 'ingress.yaml']) {
    const whole = planStudy(readStudy(path.join(FOLDER, name)), { seed: 1 });
    assert.ok(whole.estimate.seconds <= FULL_SEC, `${name}: ${whole.estimate.seconds} s`);
  }
});

test('the quick forms take a quarter of an hour together', () => {
  const seconds = STUDIES.map(name => plan(name, true).estimate.seconds);
  const sum = seconds.reduce((total, each) => total + each, 0);
  assert.ok(sum <= ALL_QUICK_SEC, `${sum} s`);
});

/** @param {string} name @param {boolean} isQuick */
function plan(name, isQuick) {
  return planStudy(readStudy(path.join(FOLDER, name), { quick: isQuick }), { seed: 1 });
}

/**
 * Files that its variants need: beside the study, and as modules of Python.
 * @param {StudyPlan} plan
 * @returns {string[]}
 */
function listNamedFiles({ study, variants }) {
  const { setup = '', prepare = '', reset = '', cleanup = '' } = study;
  const commands = [setup, prepare, reset, cleanup, ...study.services.map(one => one.command)];
  const words = commands.flatMap(command => command.split(/\s+/));
  const scripts = words.filter(word => /^[\w./-]+\.(sh|py)$/.test(word));
  const modules = words.filter(word => word.startsWith(OWN_MODULES) && !/[:A-Z]/.test(word));
  const ports = Object.fromEntries(listPorts(study).map(name => [name, 1]));
  return [
    ...scripts.map(script => path.join(FOLDER, script)),
    ...modules.map(name => path.join(PYTHON_PATH, `${name.replaceAll('.', '/')}.py`)),
    ...variants.flatMap(variant =>
      listScenarioFiles(study, makeVariables(study, variant, { seed: 1, ports, work: '/work' })),
    ),
  ];
}

/** @param {StudyPlan['study']} study @param {Record<string, string>} variables */
function listScenarioFiles({ scenario }, variables) {
  if (!('script' in scenario)) return [];
  const filled = fillTemplates(scenario.script, variables, { at: 'scenario' });
  const script = path.resolve(FOLDER, filled);
  if (!existsSync(script)) return [script];
  const { processor } = parse(readFileSync(script, 'utf8')).config ?? {};
  return processor ? [script, path.resolve(path.dirname(script), processor)] : [script];
}

/** The study, what lies in the folder of its name, and the servers. @param {string} name */
function listTexts(name) {
  const folders = [path.basename(name, '.yaml'), 'servers'].map(one => path.join(FOLDER, one));
  const beside = folders
    .filter(folder => existsSync(folder))
    .flatMap(folder => readdirSync(folder, { recursive: true, withFileTypes: true }));
  return [
    path.join(FOLDER, name),
    ...beside.filter(entry => entry.isFile()).map(entry => path.join(entry.parentPath, entry.name)),
  ];
}
