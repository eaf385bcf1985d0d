import { declareKey, declareTargetOnly, declareTokens } from './declare-engines.js';
import { prepareSocketServer } from './socket-server.js';

declareTokens('artillery', prepareSocketServer());
declareKey('artillery');
declareTargetOnly('artillery');
