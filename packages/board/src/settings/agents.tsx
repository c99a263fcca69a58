import { coreUrl } from '../api.js';
import { Copy } from '../parts/copy.js';
import { CodeScroller } from '../parts/scroller.js';

/** Where a coding agent connects: the address, and what its configuration contains. */
export function Agents() {
  const address = `${coreUrl}/mcp`;
  return (
    <section aria-labelledby="agents">
      <h3 id="agents">Connect a coding agent</h3>
      <p class="soft">
        Agents read runs over the Model Context Protocol. Make a token with the scope <b>read</b> above, and
        put it in place of <code>TOKEN</code>.
      </p>
      <Snippet name="Address, over HTTP" what="the address" text={address} />
      <Snippet name="Claude Code" what="the command for Claude Code" text={claude(address)} />
      <Snippet name="Configuration of other clients" what="the configuration" text={overHttp(address)} />
      <Snippet
        name="Command, where a client starts its server itself"
        what="the command"
        text={`CULPRIT_URL=${coreUrl} CULPRIT_TOKEN=TOKEN culprit mcp`}
      />
    </section>
  );
}

interface SnippetProps {
  readonly name: string;
  readonly what: string;
  readonly text: string;
}

function Snippet({ name, what, text }: SnippetProps) {
  return (
    <div class="snippet">
      <p class="heading">
        <b>{name}</b>
        <Copy what={what} text={text} label="Copy" />
      </p>
      <CodeScroller class="code" label={name}>
        {text}
      </CodeScroller>
    </div>
  );
}

function claude(address: string): string {
  return `claude mcp add --transport http culprit ${address} --header "Authorization: Bearer TOKEN"`;
}

function overHttp(url: string): string {
  const headers = { Authorization: 'Bearer TOKEN' };
  return JSON.stringify({ mcpServers: { culprit: { type: 'http', url, headers } } }, null, 2);
}
