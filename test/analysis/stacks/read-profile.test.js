import assert from 'node:assert/strict';
import { copyFile, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { joinThreads } from '../../../lib/analysis/stacks/node-table.js';
import { detectFile, readProfile } from '../../../lib/analysis/stacks/read-profile.js';
import { formatRaw } from '../../../lib/analysis/stacks/write-raw.js';

const fixture = (/** @type {string} */ name) => join(import.meta.dirname, 'fixtures', name);
let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'loadflame-profile-'));
});
after(() => rm(folder, { recursive: true }));

for (const [name, source] of /** @type {[string, string][]} */ ([
  ['gunicorn-gthread.raw', 'raw'],
  ['py-spy-0.4.3.svg', 'flamegraph-svg'],
])) {
  test(`${name} is recognised under the name "unknown"`, async () => {
    const file = join(folder, 'unknown');
    await copyFile(fixture(name), file);
    const profile = await readProfile(file);
    assert.equal(profile.source, source);
    assert.equal(profile.totalWeight, (await readProfile(fixture(name))).totalWeight);
  });
}

for (const [text, looksLike] of /** @type {[string, RegExp][]} */ ([
  ['{"aggregate":{"counters":{"http.requests":3},"rates":{}},"intermediate":[]}', /Artillery's/],
  ['{\n  "aggregate": {\n    "counters": {', /Artillery's/],
  ['{"$schema":"https://www.speedscope.app/file-format-schema.json"}', /speedscope file/],
  ['[{"name":"f","ph":"B","ts":1}]', /Chrome trace/],
  ['{"a":1}', /JSON of another kind/],
  ['[1,2,3]', /JSON of another kind/],
  ['', /empty/],
  ['\n\n', /empty/],
  ['Hello, this is a letter.\nIt has 3\nlines.', /none of the formats/],
  ['<html><body>404</body></html>', /HTML/],
  ['<!DOCTYPE html>\n<html lang="en"><title>Flame Graph</title>', /HTML/],
  ['{"start_time":1,"duration":2,"sample_count":100,"root_frame":{}}', /-r speedscope/],
  ['{"alloc_samples":0,"elapsed_time_sec":1.2,"files":{}}', /Scalene/],
  ['MOJ\u0003M1\u0000', /mojo2austin/],
  ['memray\u0000\u000b', /memray/],
  ['PERFILE2h\u0000', /perf\.data/],
  ['{)\u0003z\u0007test.py\u0000', /pstats/],
  ['\n\u0004\b\u0001\u0010\u0002\u0012\u0000', /binary/],
  ['{"metrics":{"http_req_duration":{"avg":1}},"root_group":{}}', /k6's summary or metrics \(/],
  ['{"type":"Metric","data":{},"metric":"http_reqs"}\n', /k6's summary or metrics \(/],
  ['Type,Name,Request Count,Failure Count\nGET,/a,1,0\n', /Locust or Gatling \(it has no req/],
  ['timeStamp,elapsed,label,responseCode\n1,2,a,200\n', /results of JMeter/],
  ['<?xml version="1.0"?>\n<testResults version="1.2">', /results of JMeter/],
  ['{"log":{"version":"1.2","entries":[]}}', /a HAR \(`loadflame init --har`/],
  ['{"info":{"_postman_id":"x"},"item":[]}', /Postman/],
  ['{"nodes":[{"id":1,"callFrame":{},"hitCount":3}],"samples":[1]}', /V8/],
  ['{"meta":{"preprocessedProfileVersion":48},"threads":[]}', /Firefox/],
  ['{"session":{"sample_interval":1},"frame_tree":{}}', /-r speedscope/],
  ['Process 12: python app.py\nPython v3.11.4 (/usr/bin/python3)\n', /py-spy's dump/],
  ['         197 function calls in 0.002 seconds\n', /pstats/],
  ['Timer unit: 1e-06 s\n\nTotal time: 0.9 s\n', /line_profiler/],
  ['version: 1\ncreator: yappi\nevents: Ticks\nfn=(1) main\n1 100\n', /callgrind/],
  ['\n\u0004\b\u0001\u0010\u0002\u0012\u0000samples count', /pprof/],
  ['Running 10s test @ http://127.0.0.1:8000/\n  2 threads and 10 connections\n', /of wrk, ab/],
  ['This is ApacheBench, Version 2.3 <$Revision: 1913912 $>\n', /of wrk, ab/],
  ['Requests      [total, rate, throughput]  100, 50.5, 50.1\n', /of Vegeta/],
  ['{"latencies":{"total":1,"mean":2},"requests":3}', /of Vegeta/],
  ['Summary:\n  Success rate:\t100.00%\n', /of hey, oha/],
  ['{"summary":{"successRate":1.0}}', /of wrk, ab/],
  ['{"url":"http://a","1xx":0,"2xx":7}', /autocannon/],
  ['\n  _     ._   __/__   _  Recorded: 10:00:01  Samples:  90\n', /pyinstrument's text \(/],
  ['{"$schema":"https://json-schema.org/draft/2020-12/schema"}', /a JSON Schema/],
  ['{"openrpc":"1.2.6","methods":[]}', /OpenRPC/],
  ['FORMAT: 1A\n# Shop\n', /API Blueprint/],
  ['<?xml version="1.0"?>\n<!-- x -->\n<wsdl:definitions name="S">', /a WSDL/],
  ['asyncapi: 2.6.0\nchannels: {}\n', /AsyncAPI/],
  ['openapi: 3.0.3\npaths: {}\n', /OpenAPI description \(`loadflame init --url`/],
  ['config:\n  target: http://a\nscenarios: []\n', /Artillery script \(`loadflame test`/],
  ['10.0.0.1 - - [20/Nov/2026:14:03:05 +0000] "GET / HTTP/1.1" 200 3\n', /init --log/],
  ['{\u0000"\u0000a\u0000"\u0000:\u0000[\u0000]\u0000}\u0000', /UTF-16 without/],
  ['python3 12 1.5: 25 cpu-clock:\n\t    7f12aabbcc main (/usr/bin/python3)\n\n', /perf script/],
])) {
  test(`${JSON.stringify(text.slice(0, 40))} looks like ${looksLike.source}`, async () => {
    const file = join(folder, 'something.raw');
    await writeFile(file, text);
    assert.match(detectFile(file).looksLike, looksLike);
    if (looksLike.source !== 'speedscope file')
      await assert.rejects(readProfile(file), { code: 'PROFILE_FORMAT', message: looksLike });
  });
}

for (const text of [
  '# austin: 3.6.0\n# interval: 100\n# mode: wall\n\nP4;T5;a.py:f:1 70\n',
  'tid:1;a.py:f:1 70\n',
  '[unknown];f (a.py:1) 5\n[unknown];g (a.py:1) 5\n',
  '{"a":1};f (a.py:1) 5\n',
  'f (a.py:1)     5\nf (a.py:1);g (a.py:1) 12345\n',
])
  test(`${JSON.stringify(text.slice(0, 40))} looks like stacks`, async () => {
    const file = join(folder, 'something.json');
    await writeFile(file, text);
    assert.equal((await readProfile(file)).source, 'raw');
  });

test('names a missing file', async () => {
  await assert.rejects(readProfile(join(folder, 'nothing.svg')), {
    code: 'PROFILE_UNREADABLE',
    message: /nothing\.svg/,
  });
});

test('a picture too big for a string is refused before it is read', async () => {
  const file = join(folder, 'big.svg');
  const handle = await open(file, 'w');
  await handle.write('<svg>');
  await handle.truncate(500 * 2 ** 20);
  await handle.close();
  await assert.rejects(readProfile(file), { code: 'PROFILE_UNREADABLE', message: /500 MB/ });
});

/** @param {string | Buffer} content */
async function read(content) {
  const file = join(folder, 'of-others');
  await writeFile(file, content);
  const profile = await readProfile(file);
  const stacks = [...formatRaw(joinThreads(profile))].map(line => line.trimEnd());
  return { ...profile, stacks };
}

const STACKS = 'main (a.py:1);ä (a.py:2) 600\nmain (a.py:1);b (a.py:3) 400\n';
for (const [what, content] of /** @type {[string, string | Buffer][]} */ ([
  ['packed with gzip', gzipSync(STACKS)],
  ['after a byte order mark', `\ufeff${STACKS}`],
  ['in UTF-16', Buffer.from(`\ufeff${STACKS}`, 'utf16le')],
  ['in UTF-16, big end first', Buffer.from(`\ufeff${STACKS}`, 'utf16le').swap16()],
  ['packed, in UTF-16', gzipSync(Buffer.from(`\ufeff${STACKS}`, 'utf16le'))],
  ['with the line ends of Windows', STACKS.replaceAll('\n', '\r\n')],
  ['with the line ends of old Macs', STACKS.replaceAll('\n', '\r')],
  ['with tabs before the counts', STACKS.replaceAll(/ (?=\d+\n)/g, '\t')],
]))
  test(`stacks ${what} are the same`, async () => {
    const { stacks, skipped } = await read(content);
    assert.deepEqual(stacks, STACKS.trimEnd().split('\n'));
    assert.equal(skipped, 0);
  });

test('gzip that is cut off, or unpacks to itself, is refused as such', async () => {
  const cut = gzipSync(STACKS.repeat(99)).subarray(0, 60);
  await assert.rejects(read(cut), { code: 'PROFILE_UNREADABLE', message: /end of file/ });
  await assert.rejects(read(gzipSync(gzipSync(STACKS))), { code: 'PROFILE_FORMAT' });
});

for (const [how, start] of Object.entries({ zip: '504b0304', zstd: '28b52ffd', bzip2: '425a6839' }))
  test(`a profile packed with ${how} is refused as such`, async () => {
    await assert.rejects(read(Buffer.from(`${start}000102`, 'hex')), {
      code: 'PROFILE_UNREADABLE',
      message: new RegExp(`packed with ${how}`),
    });
  });

for (const [count, why] of [
  ['1e3', 'rounded'],
  ['1.5', 'a fraction'],
  ['-4', 'negative'],
  ['9007199254740993', 'above 2^53'],
  ['70,1,-24', 'three numbers'],
])
  test(`a count that is ${why} is left out, counted and shown, and not joined to the next line`, async () => {
    const lines = ['f (a.py:1) 6', `g (a.py:2) ${count}`, 'h (a.py:3) 5'];
    const { stacks, skipped, entries, firstSkipped } = await read(`${lines.join('\n')}\n`);
    assert.deepEqual(stacks, ['f (a.py:1) 6', 'h (a.py:3) 5']);
    assert.deepEqual([skipped, entries, firstSkipped], [1, 3, lines[1]]);
    await assert.rejects(read(lines[1] ?? ''), {
      code: 'PROFILE_BROKEN',
      message: /1 of its 1 entries .*"g \(a\.py:2\) /,
    });
  });

test('counts that add up to more than 2^53 are refused', async () => {
  await assert.rejects(read('f (a.py:1) 9007199254740990\ng (a.py:2) 50\n'), {
    code: 'PROFILE_BROKEN',
    message: /2\^53/,
  });
});

test('an unreadable line reaches messages without what controls a terminal', async () => {
  await assert.rejects(read('a;\u001b[31m<b>{{x}} 1.5\n'), error => {
    const { message } = /** @type {Error} */ (error);
    return message.includes('<b>{{x}} 1.5') && !message.includes('\u001b');
  });
});

test("Austin's microseconds are samples of its interval, and its header no stack", async () => {
  const { stacks, rateHz, skipped, processes, threads } = await read(
    '# austin: 3.6.0\n# interval: 10000\n# mode: wall\n\nP42;T0:43;/srv/a.py:view:12;/srv/b.py:get:3 7000000\nP42;T0:43;/srv/a.py:view:20 3000000\n\n# duration: 10000000\n# errors: 0/100\n',
  );
  assert.deepEqual(stacks, [
    'process 42:"";view (/srv/a.py:12);get (/srv/b.py:3) 700',
    'process 42:"";view (/srv/a.py:20) 300',
  ]);
  assert.deepEqual([rateHz, skipped, processes[0]?.pid, threads.length], [100, 0, 42, 1]);
  for (const mode of ['memory', 'full'])
    await assert.rejects(read(`# austin: 3.6.0\n# mode: ${mode}\n\nP4;T5;a.py:f:1 70\n`), {
      code: 'PROFILE_BROKEN',
      message: new RegExp(`the first "# mode: ${mode}"`),
    });
});

for (const [who, text, stack] of /** @type {[string, string, string][]} */ ([
  [
    'CPython',
    'tid:14;main.py:<module>:12;__init__.py:dumps:238 700\n',
    '<module> (main.py:12);dumps (__init__.py:238) 700',
  ],
  [
    'Pyroscope',
    'server.py:18 - <module>;bike/bike.py:11 - order 70\n',
    '<module> (server.py:18);order (bike/bike.py:11) 70',
  ],
  [
    "perf with Python's trampoline",
    'python3;_start;py::handle:/srv/api.py 70\n',
    'python3;_start;handle (/srv/api.py) 70',
  ],
]))
  test(`frames of ${who} have their names, files and lines`, async () => {
    assert.deepEqual((await read(text)).stacks, [stack]);
  });

for (const [what, text] of [
  ['blank lines', '\n'.repeat(2 ** 18)],
  ['lines of one letter', 'a\n'.repeat(2 ** 18)],
  ['spaces', `a${' '.repeat(2 ** 18)}`],
  ['colons', `${'a:'.repeat(2 ** 17)}1`],
  [
    'brackets of titles',
    `<svg>${'<title>'.repeat(2 ** 14)}${' (1'.repeat(2 ** 16)}</title><rect/></svg>`,
  ],
])
  test(`half a megabyte of ${what} takes no second`, { timeout: 60_000 }, async () => {
    const torn = `f;g (a.py:1) 5\n${text} 1e3\n`;
    const before = process.cpuUsage();
    await read(text ?? '').catch(() => {});
    await read(torn).catch(() => {});
    const { user } = process.cpuUsage(before);
    assert.ok(user < 1e6, `${user} µs of CPU`);
  });
