import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { startProvider } from '../../demo/start-provider.js';
import { readText } from '../../lib/base/process/process-table.js';
import { FIXTURES, startGunicorn } from '../helpers/gunicorn.js';
import { startLeakyTarget } from '../helpers/leaky-target.js';
import { readEnvironment } from '../helpers/marked-processes.js';
import { makeScene } from '../helpers/scene.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

/** Their first and last letters stay what they are in every way of writing. */
const PASSWORD = `Zq7pass@ "wörd" & <it's> +/100% Kx9word`;
const CLIENT_SECRET = `Vb3cret: "q" & <it's> +/7% Nn4end`;
const NEEDLES = ['Zq7pass', 'Kx9word', 'Vb3cret', 'Nn4end'];
NEEDLES.push(Buffer.from(`${PASSWORD}:${CLIENT_SECRET}`).toString('base64').slice(0, 20));
/** Its parts are joined by dots; the packed data of a page, where `eyJ` stands now and then, have none. */
const TOKEN = /(?<![\w+/])eyJ[\w-]{8,}|eyJ[\w-]{8,}\.[\w-]{8,}/;

const USER = { username: 'clerk', password: PASSWORD };
const LEAKY_LOAD = path.join(FIXTURES, 'leaky-load.yaml');
const PLAIN_LOAD = path.join(FIXTURES, 'plain-load.yaml');

/** The secret that is in a text, with what is around it. @param {string} text */
function findSecret(text) {
  const found = NEEDLES.find(needle => text.includes(needle)) ?? TOKEN.exec(text)?.[0];
  if (found === undefined) return null;
  const at = text.indexOf(found);
  return text.slice(Math.max(0, at - 100), at + 60);
}

/** Files and processes go while they are looked at. @param {string} file */
const readOrEmpty = file => readText(file) ?? '';

/** @param {string} folder @returns {string[]} paths */
function listFiles(folder) {
  for (let tries = 1; ; tries += 1) {
    try {
      return readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter(entry => entry.isFile())
        .map(entry => path.join(entry.parentPath, entry.name));
    } catch (error) {
      // A folder in it was removed while it was read.
      if (tries === 10) throw error;
    }
  }
}

/** @param {string} folder */
function findInFolder(folder) {
  return listFiles(folder).flatMap(file => {
    const found = findSecret(readOrEmpty(file));
    return found ? [`${file}: ${found}`] : [];
  });
}

/**
 * Looks again and again, in at most a quarter of the time: the target and the provider are in this process, too.
 * @param {() => void} look
 * @param {number} pauseMs at least
 * @returns {() => void} ends it
 */
function repeat(look, pauseMs) {
  /** @type {NodeJS.Timeout} */
  let timer;
  const again = () => {
    const startedMs = performance.now();
    look();
    timer = setTimeout(again, Math.max(pauseMs, 3 * (performance.now() - startedMs)));
  };
  again();
  return () => clearTimeout(timer);
}

/** Looks at everything that others may see, while loads run. @param {string} temp has their temporary folders */
function watch(temp) {
  /** @type {Set<string>} */
  const leaks = new Set();
  /** @type {Set<string>} */
  const inEnvironment = new Set();
  let looks = 0;
  const stopProcesses = repeat(() => {
    looks += 1;
    for (const pid of readdirSync('/proc')
      .filter(name => /^\d+$/.test(name))
      .map(Number)) {
      const command = readOrEmpty(`/proc/${pid}/cmdline`);
      const found = findSecret(command);
      if (found) leaks.add(`command line of process ${pid}: ${found}`);
      const environment = readEnvironment(pid);
      const isOurs = environment.includes(`TMPDIR=${temp}`);
      // One that starts or ends has no command line for a moment; the next look sees who it is.
      if (isOurs && command !== '' && findSecret(environment))
        inEnvironment.add(command.replaceAll('\0', ' ').trim());
    }
  }, 40);
  // These live for moments, and a look at all processes takes longer.
  const stopFiles = repeat(() => {
    for (const leak of findInFolder(temp)) leaks.add(leak);
  }, 10);
  return () => {
    stopProcesses();
    stopFiles();
    return { leaks: [...leaks], inEnvironment: [...inEnvironment], looks };
  };
}

/** @param {Record<string, string>} values */
function asShellFile(values) {
  return Object.entries(values)
    .map(([name, value]) => `export ${name}='${value.replaceAll("'", "'\\''")}'\n`)
    .join('');
}

test('no secret is in the run folder, on the screen, in a process list or a temporary file', async t => {
  const provider = await startProvider({
    dir: makeTempFolder(t),
    users: [USER],
    secrets: { client: CLIENT_SECRET, api: 'not-used' },
  });
  t.after(provider.stop);
  const gunicorn = await startGunicorn(t, { workers: 1 });
  const settings = {
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: 'queue-management',
    OIDC_CLIENT_SECRET: CLIENT_SECRET,
    GUNICORN_PID: String(gunicorn.masterPid),
  };

  let answers = 0;
  /**
   * @param {string} flow
   * @param {string} script
   * @param {{secrets?: Record<string, string>, args?: string[]}} [options]
   */
  const measure = async (flow, script, { secrets = {}, args = [] } = {}) => {
    // Of its own, so that all lines of its log are answers to this load.
    const target = await startLeakyTarget(t, [PASSWORD, CLIENT_SECRET]);
    const scene = makeScene(t, { TMPDIR: mkdtempSync(path.join(temp, 'flow-')) });
    const addresses = { TARGET: target.url, LOG_FILES: target.logFile };
    const own = { ...settings, ...addresses, OIDC_FLOW: flow, ...secrets };
    writeFileSync(path.join(scene.home, 'envs.sh'), asShellFile(own));
    const users = `username,password\n${USER.username},"${PASSWORD.replaceAll('"', '""')}"\n`;
    writeFileSync(path.join(scene.home, 'users.csv'), users);
    const json = path.join(scene.root, 'artillery.json');
    const load = scene.test([script, '--output', json, ...args]);
    await load.ended;
    answers += target.answers();
    return { scene, load, json };
  };
  const temp = makeTempFolder(t);
  const stopWatching = watch(temp);
  /** @type {Record<string, ReturnType<typeof measure>>} */
  const measuring = {
    password: measure('password', LEAKY_LOAD, {
      secrets: { OIDC_USERNAME: USER.username, OIDC_PASSWORD: PASSWORD },
      args: ['--profile'],
    }),
    client_credentials: measure('client_credentials', PLAIN_LOAD, {
      secrets: { OIDC_PASSWORD: PASSWORD },
    }),
    authorization_code: measure('authorization_code', PLAIN_LOAD, {
      secrets: { OIDC_USERS: 'users.csv' },
    }),
  };
  for (const [flow, measured] of Object.entries(measuring)) {
    await t.test(flow, async () => {
      const { scene, load, json } = await measured;
      assert.equal(findSecret(load.output()), null);
      assert.deepEqual(findInFolder(scene.root), []);

      // It was looked at the right things: answers came, were kept without their secrets, and so on.
      const { files, readReport } = await scene.waitForRun();
      assert.match(readFileSync(files.errors, 'utf8'), /\[redacted\] has expired/);
      const log = readFileSync(files.log(1), 'utf8');
      assert.match(log, /ERROR: .*\\"authorization\\":\\"\[redacted\]\\"/);
      assert.match(readFileSync(files.reportHtml, 'utf8'), /\[redacted\]/);
      assert.ok(readFileSync(json, 'utf8').includes('http.codes.500'));
      // On a busy machine others stand before it on the screen.
      assert.ok(readReport().findings.some(({ id }) => id === 'token-trouble'));
      assert.deepEqual(await scene.processes.listLeft(), []);
    });
  }
  const { leaks, inEnvironment, looks } = stopWatching();
  assert.deepEqual(leaks, []);
  // Secrets of envs.sh are in no environment but that of the shell's `env`.
  assert.deepEqual(
    inEnvironment.filter(command => command !== 'env -0'),
    [],
  );
  assert.ok(looks >= 10, `${looks} looks`);
  assert.ok(answers > 20);
});
