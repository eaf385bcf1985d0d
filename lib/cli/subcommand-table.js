/** Rows of the command table that have commands of their own. */
import { wholeNumber } from '../base/config/parsers.js';
import {
  BASELINE,
  HISTORY,
  INSECURE,
  LOAD,
  OUTPUTS,
  PRINTED,
  PROFILES,
  SET,
} from './option-table.js';

/** @import { CommandRow } from './command-table.js' */

/** @type {CommandRow} */
export const CLUSTER = {
  name: 'cluster',
  about: 'send a load from inside a Kubernetes or OpenShift cluster',
  help: `Example:
  loadflame cluster run scenarios/my-api.yaml --workers 8 --image registry.example/loadflame:1`,
  commands: [
    {
      name: 'run',
      about: 'start workers in the cluster, let them send the load, write one report',
      args: [['<script>', 'an Artillery script (YAML or JSON)']],
      options: [
        ['--workers <n>', 'pods that split rates, users and rows', wholeNumber(1, 50), '2'],
        ['--cpu <amount>', 'of each worker, requested and allowed', undefined, '1'],
        ['--memory <amount>', 'of each worker, requested and allowed', undefined, '512Mi'],
        ['--wait <seconds>', 'longest time until all workers run', wholeNumber(1, 3600), '300'],
        ['--pod-file <file>', 'YAML to merge over the pods: tolerations, imagePullSecrets, …'],
        ...LOAD.filter(([flags]) => !/^(?:--engine|--workers|-o)/.test(flags)),
        SET,
        BASELINE,
        ...OUTPUTS,
        ...HISTORY,
        ...PRINTED,
      ],
      settings: 'TARGET KUBE_IMAGE KUBE_NAMESPACE KUBE_WORKLOAD THRESHOLDS',
      help: `Creates a Job, and a Secret with the script, its files and the settings of load and login.
Removes both when the load is over, on Ctrl+C and on errors. If loadflame is killed, the Job ends
by itself.

TARGET is the address as pods see it, e.g. http://api.shop.svc:8080. docs/openshift.md has the image
and the Role. Exit codes are those of loadflame test.

Examples:
  loadflame cluster run scenarios/my-api.yaml --target http://api:8080 --namespace shop-dev
  loadflame cluster run scenarios/my-api.yaml --workers 3 --cpu 500m --pod-file pod.yaml`,
    },
    {
      name: 'worker',
      about: 'the program of the pods; of no use elsewhere',
      help: 'Example:\n  loadflame cluster worker',
    },
  ],
};

/** @type {CommandRow} */
export const STUDY = {
  name: 'study',
  about: 'measure many variants at many loads: how does it scale, and what stops it?',
  help: `Example:
  loadflame study run content --dry-run          what studies/content.yaml measures, and how long that takes`,
  commands: [
    {
      name: 'run',
      about: 'run a study, or resume it where it was stopped',
      args: [['<study>', 'a study file, or the name of one in studies/']],
      options: [
        ['--quick', 'its short form: fewer steps and seconds, as the file says'],
        ['--dry-run', 'print what would be measured and how long it takes, and send nothing'],
        ['--new', 'start over instead of resuming an unfinished study'],
        ['--repeats <n>', 'how often each cell is measured', wholeNumber(1, 100)],
        ['--seed <n>', 'of the order of the variants', wholeNumber(0, 2 ** 32 - 1)],
        INSECURE,
        PROFILES,
      ],
      help: `Ctrl+C stops a study and keeps what was measured; the same command resumes it. A cell that fails is
recorded, and does not end the study.

Exit codes: 0 good, 3 a program is missing, 6 nothing valid was measured, 130 interrupted.

Examples:
  loadflame study run content --quick --repeats 3
  loadflame study run my-study.yaml --seed 7 --new`,
    },
    {
      name: 'report',
      about: '(re)build the report of a study, finished or not',
      args: [['<study>', 'id or folder of a study in profiles/, or last']],
      options: [PROFILES],
      help: 'Example:\n  loadflame study report last',
    },
  ],
};
