// A minimal load balancer: round robin over the cores that are ready, without sticky sessions.
import { createServer, request } from 'node:http';

/** @param {number[]} cores ports on loopback */
export async function balance(cores, port) {
  const ready = new Set();
  let turn = 0;
  const look = () =>
    Promise.all(
      cores.map(async (core) => {
        const answer = await fetch(`http://127.0.0.1:${core}/readyz`, {
          signal: AbortSignal.timeout(2_000),
        }).catch(() => null);
        if (answer?.ok) ready.add(core);
        else ready.delete(core);
      }),
    );
  const pass = ({ method, url, headers }) => {
    const open = ready.size > 0 ? [...ready] : cores;
    return request({ port: open[turn++ % open.length], method, path: url, headers, agent: false });
  };
  const server = createServer((incoming, answer) => {
    const onward = pass(incoming);
    onward.on('response', (response) => {
      answer.writeHead(response.statusCode, response.headers);
      response.pipe(answer).on('error', () => {});
      response.on('error', () => answer.destroy());
    });
    onward.on('error', () => (answer.headersSent ? answer.destroy() : answer.writeHead(502).end()));
    answer.on('close', () => onward.destroy());
    incoming.pipe(onward);
  });
  server.on('upgrade', (incoming, socket, head) => {
    const onward = pass(incoming);
    onward.on('upgrade', ({ rawHeaders }, other, first) => {
      const lines = rawHeaders.flatMap((name, at) =>
        at % 2 === 0 ? `${name}: ${rawHeaders[at + 1]}\r\n` : [],
      );
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('')}\r\n`);
      socket.write(first);
      other.write(head);
      socket.pipe(other).pipe(socket);
      socket.on('error', () => other.destroy()).on('close', () => other.destroy());
      other.on('error', () => socket.destroy()).on('close', () => socket.destroy());
    });
    onward.on('response', () => socket.destroy());
    onward.on('error', () => socket.destroy());
    onward.end();
  });
  const timer = setInterval(look, 500);
  await look();
  await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    look,
    port: server.address().port,
    close() {
      clearInterval(timer);
      server.close();
      server.closeAllConnections();
    },
  };
}
