import { test } from 'node:test';
import { make, suite } from './subject.js';

// The port's contract. The same two lines run under tap and vitest: they only need a `test`.
for (const { name, run } of suite) test(name, () => run(make));
