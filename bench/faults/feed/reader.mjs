// A minimal WebSocket client, so that thousands fit into one process.
import { connect } from 'node:net';

/** Opens a feed. `heard` resolves with the first message, `ended` with the close code (1006 without one). */
export function openReader(port, token, since) {
  const query = since === undefined ? '' : `?since=${since}`;
  const socket = connect(port, '127.0.0.1');
  let head = true;
  let buffer = Buffer.alloc(0);
  let code = 1006;
  let heard;
  let ended;
  const reader = {
    cursor: undefined,
    heard: new Promise((resolve) => {
      heard = resolve;
    }),
    ended: new Promise((resolve) => {
      ended = resolve;
    }),
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    cut: () => socket.destroy(),
  };
  const read = () => {
    while (buffer.length >= 2) {
      const short = buffer[1] & 127;
      const start = short === 126 ? 4 : short === 127 ? 10 : 2;
      if (buffer.length < start) return;
      const length =
        short === 126 ? buffer.readUInt16BE(2) : short === 127 ? Number(buffer.readBigUInt64BE(2)) : short;
      if (buffer.length < start + length) return;
      const payload = buffer.subarray(start, start + length);
      if ((buffer[0] & 15) === 8 && length >= 2) code = payload.readUInt16BE(0);
      if ((buffer[0] & 15) === 1) heard(payload.toString());
      buffer = buffer.subarray(start + length);
    }
  };
  socket.on('data', (chunk) => {
    buffer = Buffer.concat([buffer, chunk]);
    if (head) {
      const end = buffer.indexOf('\r\n\r\n');
      if (end < 0) return;
      if (!buffer.toString('latin1', 0, 12).endsWith('101')) code = Number(buffer.toString('latin1', 9, 12));
      head = false;
      buffer = buffer.subarray(end + 4);
    }
    read();
  });
  socket.on('error', () => {});
  socket.on('close', () => ended(code));
  socket.write(
    `GET /api/v1/live${query} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${token}\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`,
  );
  return reader;
}
