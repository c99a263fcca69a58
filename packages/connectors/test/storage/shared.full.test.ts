// With larger batches than in `npm test`.
await import('./shared.test.js');

export {};
