import { makeDraft } from '@culprit/core/internal/testing/make-run';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import t from 'tap';
import { injectionCases } from '../../core/test/support/injection-corpus.js';
import { ownWords, parse, unlinkedEscapes } from '../../core/test/support/markdown-tree.js';
import { untrusted } from '../src/mcp/answer.js';
import { createMcpServer, type ToolAccess } from '../src/mcp/server.js';
import { hostileReads } from './support/hostile-reads.js';

t.setTimeout(600_000);

const DIGEST = 'a'.repeat(64);

/** A client of a server whose every text is this one. */
async function connected(text: string) {
  const kept: unknown[] = [];
  const tools = hostileReads(text);
  const api: ToolAccess = {
    ...tools,
    getBrief: async () => untrusted(text, 'block'),
    async commentOnRun(given) {
      kept.push(given);
      return tools.getRun({ run_id: 'r' });
    },
    async editDraft(given) {
      kept.push(given);
      return makeDraft({ digest: text });
    },
  };
  const server = createMcpServer(api, '1', ['investigate', 'comment', 'gate2']);
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'test', version: '1' });
  await Promise.all([server.connect(ours), client.connect(theirs)]);
  const close = () => Promise.all([client.close(), server.close()]);
  return { client, kept, close };
}

/** What a model reads if it calls with this text, by the way in which it calls. */
async function readBy(text: string): Promise<Readonly<Record<string, string>>> {
  const { client, kept, close } = await connected(text);
  const call = async (name: string, given: Record<string, unknown>) => {
    try {
      const { content } = await client.callTool({ name, arguments: given });
      return content.map((one) => (one.type === 'text' ? one.text : JSON.stringify(one))).join('\n');
    } catch (error) {
      return String((error as Error).message);
    }
  };
  const message = (work: Promise<unknown>) =>
    work.then(
      () => 'It worked.',
      ({ message: said }: Error) => said,
    );
  const long = text.padEnd(65, '.');
  const { contents } = await client.readResource({ uri: 'culprit://runs/r' });
  const { messages } = await client.getPrompt({ name: 'fix_run', arguments: { run_id: 'r' } });
  const read = {
    'the resource run': contents.map((one) => ('text' in one ? one.text : '')).join(''),
    'the prompt': messages.map(({ content }) => (content.type === 'text' ? content.text : '')).join(''),
    'a long run_id': await call('get_run', { run_id: long }),
    'an unknown state': await call('search_runs', { state: text }),
    'an unknown order': await call('search_runs', { order: text }),
    'text as a number': await call('get_occurrences', { run_id: 'r', number: text }),
    'an unknown argument': await call('search_runs', { [text || 'x']: text, limit: text }),
    'a long argument of the prompt': await message(
      client.getPrompt({ name: 'fix_run', arguments: { run_id: long } }),
    ),
    'an answer to a question': await call('read_source', { run_id: 'r', path: 'x' }),
    'a path of a question': await call('read_source', { run_id: 'r', path: text.padEnd(501, '.') }),
    'a comment': await call('add_comment', { run_id: 'r', comment: text.slice(0, 2_000) || 'x' }),
    'an edit': await call('edit_draft', { run_id: 'r', digest: DIGEST, title: 'x', body: text || 'x' }),
    'text as a digest': await call('edit_draft', { run_id: 'r', digest: text, title: 'x', body: 'x' }),
    'a long title': await call('edit_draft', {
      run_id: 'r',
      digest: DIGEST,
      title: text.padEnd(257, '.'),
      body: 'x',
    }),
  };
  if (kept.length !== 2) throw new Error(`kept: ${kept.length}`);
  await close();
  return read;
}

/** The words outside code. */
function wordsOf(markdown: string): string[] {
  const said: string[] = [];
  const look = (node: ReturnType<typeof parse>): void => {
    if (node.type === 'text') said.push(...(node.value.match(/\p{L}[\p{L}\p{M}’']*/gu) ?? []));
    if ('children' in node) for (const child of node.children) look(child);
  };
  look(parse(markdown));
  return said;
}

t.test('resources, the prompt, refusals and writes of MCP: nothing escapes', async (t) => {
  const harmless = await readBy('0');
  const words = new Set([
    ...ownWords([new URL('../src/mcp/', import.meta.url)]),
    ...Object.values(harmless).flatMap(wordsOf),
  ]);
  for (const { id, text } of injectionCases()) {
    const read = await readBy(text);
    const found = Object.entries(read).flatMap(([way, said]) =>
      unlinkedEscapes(said, words).map((fault) => `${way}: ${fault}`),
    );
    t.same(found.slice(0, 8), [], id);
  }
});
