import { declarePostgres, declareRedis } from './declare-passwords.js';

for (const study of ['tasks', 'mail']) declareRedis(study);
for (const study of ['stacks', 'tasks']) declarePostgres(study);
