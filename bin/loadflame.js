#!/usr/bin/env node
// Imports nothing before it has looked at Node's version: an old Node links all of the modules first, and
// would end with a riddle from inside of one. Written so that any Node with ES modules can read it.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(
    `error: loadflame needs Node 22.18 or newer, and this is ${process.versions.node}\n` +
      'hint:  in a clone, the npm scripts bring a Node of their own (npm start); elsewhere install Node 24\n',
  );
  process.exitCode = 3;
} else {
  // A cache of the environment is one of other processes, too, and V8 refuses code that was compiled with other flags.
  if (process.env.NODE_COMPILE_CACHE === undefined) {
    // For garbage of loading modules V8 would double the young generation, and keep 5 MB through a load. lib/cli/main.js
    // ends this before a command runs. Node names the folder of the cache after the flags.
    process.getBuiltinModule('v8').setFlagsFromString('--semi-space-growth-factor=1');
    const { dirname } = import.meta;
    // Compiled code saves 0.3 s of CPU in a load test. It lies beside the modules, where only their owner writes (root's files
    // in a user's folder could not be deleted by the user).
    if (process.getBuiltinModule('fs').statSync(dirname).uid === process.getuid?.())
      process.getBuiltinModule('module').enableCompileCache(`${dirname}/../.compiled`);
  }
  import('../lib/cli/main.js').then(({ main }) => main(process.argv));
}
