import { textOf } from './desk.mjs';

const title = (text) => `\n━━━━━━ ${text} ${'━'.repeat(Math.max(4, 90 - text.length))}\n`;

/**
 * A request as a person reads it: whole at the first turn, then what is new. `last`: the request before it in the conversation, or null.
 */
export function renderTurn({ name, tokens, body, last }) {
  const { messages, tools = [], tool_choice, response_format } = body;
  const known = last === null || !continues(last.messages, messages) ? 0 : last.messages.length;
  const parts = [`${name}, about ${tokens} tokens. Answer in ${name}.answer.json\n`];
  if (last !== null && known === 0) parts.push('Another conversation begins: everything is shown.\n');
  const changed = messages.slice(0, known).filter((message, index) => !isSame(message, last.messages[index]));
  if (changed.length > 0) parts.push(`Earlier messages that were shortened or changed: ${changed.length}\n`);
  const calls = callsOf(messages);
  for (const message of messages.slice(known)) parts.push(messageText(message, calls));
  if (tools.length > 0 && (known === 0 || !isSame(tools, last.tools)))
    parts.push(`${title('tools')}${tools.map(({ function: tool }) => toolText(tool)).join('\n')}`);
  if (tool_choice !== undefined && tool_choice !== 'auto')
    parts.push(`\nTool choice: ${JSON.stringify(tool_choice)}\n`);
  if (response_format !== undefined)
    parts.push(`${title('the answer must have this form')}${JSON.stringify(response_format, null, 1)}\n`);
  if (known === 0)
    parts.push(
      `${title('how to answer')}{"calls": [{"name": "TOOL", "arguments": {…}}, …], "content": "TEXT or nothing"}\nor {"content": "TEXT"}\n`,
    );
  return parts.join('');
}

const isSame = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/** Whether the later messages begin with the earlier ones, whose texts may have been shortened meanwhile. */
function continues(before, now) {
  const kept = now.slice(0, before.length);
  return (
    before.length < now.length &&
    kept.every(
      ({ role, tool_call_id }, index) =>
        role === before[index].role && tool_call_id === before[index].tool_call_id,
    ) &&
    isSame(kept[0], before[0])
  );
}

function callsOf(messages) {
  const calls = messages.flatMap(({ tool_calls = [] }) => tool_calls ?? []);
  return new Map(calls.map(({ id, function: { name, arguments: given } }) => [id, `${name} ${given}`]));
}

function messageText({ role, content, tool_calls, tool_call_id }, calls) {
  const text = textOf(content);
  if (role === 'assistant') {
    const asked = (tool_calls ?? []).map(({ id }) => `  ${calls.get(id)}\n`).join('');
    return `${title('you said')}${text}${text ? '\n' : ''}${asked}`;
  }
  const heading = role === 'tool' ? `answer to ${calls.get(tool_call_id) ?? tool_call_id}` : role;
  return `${title(heading)}${text}\n`;
}

function toolText({ name, description = '', parameters = {} }) {
  const { properties = {}, required = [] } = parameters;
  const rows = Object.entries(properties).map(([key, schema]) => {
    const { description: about = '', ...form } = schema;
    const type = ['string', 'number', 'integer', 'boolean'].includes(form.type)
      ? form.type
      : JSON.stringify(form);
    return `    ${key}${required.includes(key) ? '' : '?'}: ${type}${about === '' ? '' : `. ${about}`}\n`;
  });
  return `${name}: ${description}\n${rows.join('')}`;
}
