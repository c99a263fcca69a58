// From CommonJS: Node 20.19 and later can `require` Culprit's modules, though they are ES modules.
const { storage } = require('@culprit/connectors/storage');
const { template } = require('@culprit/connectors/template');
const { createEngine } = require('@culprit/core');

async function main() {
  const engine = await createEngine({ connectors: [storage({ url: 'memory:' }), template({})] });
  const { run_id } = await engine.ingest({ crash: { message: 'from CommonJS' } });
  await engine.approveGateOne(run_id, { name: 'ada', via: 'engine' });
  console.log((await engine.run(run_id)).state);
  await engine.close();
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
