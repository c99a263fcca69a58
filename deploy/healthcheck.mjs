// Exit code 0 if every server of the container answers. HEALTH_PORTS names their ports; default: core's and the edge's.
const { CORE_PORT = '8000', EDGE_PORT = '8001', HEALTH_PORTS = `${CORE_PORT},${EDGE_PORT}` } = process.env;

const answers = await Promise.all(
  HEALTH_PORTS.split(',').map((port) =>
    fetch(`http://127.0.0.1:${port.trim()}/healthz`, { signal: AbortSignal.timeout(3_000) }).then(
      ({ ok }) => ok,
      () => false,
    ),
  ),
);
process.exit(answers.every(Boolean) ? 0 : 1);
