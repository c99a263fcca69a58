// The desk as an OpenAI-compatible server, to try it manually. The case is the key, else the model's name.
// Usage: node bench/desk/server.mjs DIR [--port 8077], then OPENAI_BASE_URL=http://127.0.0.1:8077/v1 OPENAI_MODEL=desk OPENAI_API_KEY=mine
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import { createDesk } from './desk.mjs';
import { probeAnswer } from './probe-answers.mjs';

const { values: flags, positionals } = parseArgs({
  options: { port: { type: 'string', default: '8077' } },
  allowPositionals: true,
});
const [dir] = positionals;
if (dir === undefined) {
  console.error('Pass the folder of the desk.');
  process.exit(2);
}
const desk = createDesk(dir);

const server = createServer(async (request, response) => {
  const send = (status, value) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(value));
  };
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  try {
    if (request.url === '/v1/models')
      return send(200, { object: 'list', data: [{ id: 'desk', object: 'model' }] });
    if (request.url !== '/v1/chat/completions') return send(404, { error: { message: 'not found' } });
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    const body = JSON.parse(text);
    const key = /^Bearer ([\w-]{1,60})$/.exec(request.headers.authorization ?? '')?.[1];
    const id = key ?? body.model.replace(/[^\w-]/g, '_');
    send(200, probeAnswer(body) ?? (await desk.answer(id, text, gone.signal)));
  } catch (error) {
    if (!gone.signal.aborted) send(400, { error: { message: error.message } });
  }
});
server.requestTimeout = 0;
server.listen(Number(flags.port), '127.0.0.1', () =>
  console.log(`The desk is at http://127.0.0.1:${server.address().port}/v1, its requests in ${dir}`),
);
