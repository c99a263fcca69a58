// Fails, and reports it to the edge of `culprit up --config culprit.json`.
function total(items) {
  return items.reduce((sum, item) => sum + item.price.amount, 0);
}

try {
  total([{ name: 'teapot' }]);
} catch (error) {
  const { CULPRIT_EDGE_URL, SERVICE_TOKEN } = process.env;
  const answer = await fetch(`${CULPRIT_EDGE_URL}/api/v1/telemetry/ingest`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-service-token': SERVICE_TOKEN },
    body: JSON.stringify({ message: error.message, stack: error.stack, platform: 'node' }),
  });
  console.log(answer.status);
}
