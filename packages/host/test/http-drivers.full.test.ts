// The tests of both servers again, on `node:http`.
process.env.HTTP_DRIVER = 'node';
await import('./edge.test.js');
await import('./attacks.test.js');
await import('./edge-faults.test.js');
await import('./core-server.test.js');
await import('./core-faults.test.js');
await import('./live-client.test.js');

export {};
