import { declareMemory } from '../load/slowest-memory.js';

declareMemory('an hour', 3600, () => 10 + Math.random() * 90);
declareMemory('latency that grows for two minutes', 120, n => 10 + n / 1e5);
