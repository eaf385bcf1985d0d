/** Something is missing on this machine. */

/** Code → message and hint. @type {Record<string, [message: string, hint: string]>} */
export const MISSING = {
  // -- settings and the command line (lib/base/config, lib/cli)
  DEMO_MISSING: [
    'the demo is not part of the npm package',
    'clone the repository of loadflame and run `npm run loadflame -- demo` there; here, set TARGET to your own API',
  ],

  // -- the run folder (lib/run)
  RUN_FOLDER_UNWRITABLE: [
    'cannot write the run folder {folder} ({reason})',
    'make the folder writable, free some space, or name another with --profiles <folder>',
  ],

  // -- finding the target (lib/record/target)
  SERVER_NOT_FOUND: [
    'found no Python server to profile: {why}',
    'start the API (in a clone, `npm run loadflame -- demo` starts one to try), set TARGET to its address, or name its process with --pid <pid>',
  ],
  TASK_WORKERS_NOT_FOUND: [
    'found no task workers for --also {given}: {why}',
    'start them first, then name them: --also celery, --also rq, --also dramatiq, or the pid or the pid file of their first process',
  ],
  SERVER_COMMAND_FAILED: [
    'the server of --command {command} was not started: {why}{tail}',
    'the command has to stay in the foreground and serve TARGET; stop any other server of TARGET',
  ],

  // -- recording a profile (lib/record/profiler)
  PYSPY_MISSING: [
    'py-spy was not found ({tried})',
    'install it with `python3 -m pip install py-spy`, or set PYSPY to its path; --profiler none records without stacks',
  ],
  PYSPY_UNUSABLE: [
    'cannot use {path}: {why}',
    'install py-spy {minimum} or newer, or set PYSPY to one',
  ],
  PYSPY_PERMISSION: [
    'py-spy has no permission to read process {pid} ({why})',
    'run as the user of that process, or allow sudo for py-spy and kill (docs/no-sudo.md); --profiler none records without stacks',
  ],
  PYSPY_NO_PROCESS: [
    'py-spy cannot find process {pid}',
    'the API has stopped or was restarted: start it, and omit --pid to find it automatically',
  ],
  PYSPY_PTRACE_BLOCKED: [
    'the system blocks py-spy from pausing process {pid} (ptrace is blocked) and from reading it while it runs',
    'allow ptrace (in containers: --cap-add SYS_PTRACE, or another seccomp profile); --profiler none records without stacks',
  ],
  PYSPY_FAILED: [
    'py-spy failed on process {pid}: {tail}',
    'run `loadflame doctor`; profile/py-spy.log in the run folder has the output of py-spy',
  ],
  PROFILER_REFUSED: [
    "PROFILER=remote, but loadflame's own recorder does not work on process {pid}: {reason}",
    "unset PROFILER: py-spy then records where loadflame's own recorder cannot",
  ],

  // -- driving load (lib/load)
  ARTILLERY_MISSING: [
    '--engine artillery needs the package artillery, which is not installed',
    'type `npm install artillery@^{version}` (in a clone of loadflame: `node scripts/run.js --all`), or omit `--engine artillery`: loadflame runs the same scripts',
  ],
  ARTILLERY_PART_MISSING: [
    '`{part}` of Artillery needs the package {package}, which this installation replaces with an empty one',
    'delete the lines of `overrides` in package.json, and type `npm install`',
  ],

  // -- pods of a cluster (lib/record/cluster)
  KUBE_CLIENT_MISSING: [
    'pods of a cluster need the package @kubernetes/client-node, which is not installed',
    'type `npm install @kubernetes/client-node@^1.4.0` (in a clone of loadflame: `node scripts/run.js --all`)',
  ],
  POD_NO_SERVER: [
    'found no Python server in the pod {pod} (containers: {containers})',
    'name another pod with --pod; a server of another language cannot be profiled',
  ],
  POD_NO_PROGRAM: [
    'the container {container} of the pod {pod} has no `{program}`',
    'its CPU quota is not known. For a profile, set KUBE_PROFILE_IMAGE to an image with py-spy, which is added to the pod as a container (docs/openshift.md)',
  ],
  POD_NO_PYSPY: [
    'py-spy is not in the container {container} of the pod {pod}',
    'add `pip install py-spy` to the image of the API: it needs no permission there. Or set KUBE_PROFILE_IMAGE to an image with py-spy, which is added to the pod as a container (docs/openshift.md)',
  ],
  POD_NOT_PROFILED: [
    'the pod {pod} cannot be profiled: {reasons}',
    'docs/openshift.md has the ways to a profile and what each needs',
  ],

  // -- building a report (lib/analysis, lib/report)
  REPORT_UNWRITABLE: [
    'cannot write {file} ({reason})',
    'free some space or make {folder} writable, then run: loadflame report {folder}',
  ],

  // -- trying a change (lib/experiment/try)
  TRY_SIDE_FAILED: ['{label} was not measured: {problem}', '{hint}'],

  // -- services of a study (lib/experiment/study/services)
  STUDY_PROGRAM_MISSING: [
    'a program that {owner} needs was not found\n{tail}',
    'install it, or put it on the PATH; in a clone, scripts/install-study-servers.sh installs everything that the studies need',
  ],
  STUDY_COMMAND_FAILED: [
    '{owner} failed ({end})\n{tail}',
    'the lines above are the end of its output',
  ],
  STUDY_SERVICE_ENDED: [
    'the service {service} exited while starting ({end})\n{tail}',
    'the lines above are the end of its log',
  ],
  STUDY_SERVICE_NOT_READY: [
    'the service {service} was not ready after {seconds} s: {why}\n{tail}',
    'the lines above are the end of its log; if it needs more time, set a longer `timeout` in `ready`',
  ],
};
