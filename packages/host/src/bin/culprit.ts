#!/usr/bin/env node
import { main } from '../cli/main.js';
import { wasInterrupted } from '../cli/stop-signal.js';

process.exitCode = await main(process.argv.slice(2));
// A listener on the supervisor's channel would keep a command alive that has failed.
if (process.connected) process.disconnect();
// npm may pass the same Ctrl-C on late. Node removes its signal handlers before it ends by itself, so that signal would kill it.
if (wasInterrupted()) process.exit();
