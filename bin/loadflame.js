#!/usr/bin/env node
import '../lib/cli/node-version.js';
import { main } from '../lib/cli/main.js';

await main(process.argv);
