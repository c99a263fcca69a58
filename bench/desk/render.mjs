const title = (text) => `\n━━━━━━ ${text} ${'━'.repeat(Math.max(4, 90 - text.length))}\n`;

/**
 * A request as a person reads it: whole at the first turn, then what is new. `last`: the request before it in the conversation, or null.
 * `heading`: its name and more.
 */
export function renderTurn({ heading, body, last }) {
  const { messages, tools = [], tool_choice, response_format } = body;
  const known = last === null ? 0 : last.messages.length;
  const parts = [`${heading}\n`];
  for (const [index, message] of messages.slice(0, known).entries())
    parts.push(changeText(textOf(last.messages[index].content), textOf(message.content)));
  if (known === messages.length) parts.push('No message is new.\n');
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
export function continues({ messages: before }, { messages: now }) {
  const kept = now.slice(0, before.length);
  return (
    before.length <= now.length &&
    kept.every(
      ({ role, tool_call_id }, index) =>
        role === before[index].role && tool_call_id === before[index].tool_call_id,
    ) &&
    isSame(kept[0], before[0])
  );
}

/** A message that was shown before: what was added, or that less of it is sent. */
function changeText(before, now) {
  if (now === before) return '';
  return now.startsWith(before)
    ? `${title('added to an earlier message')}${now.slice(before.length).trim()}\n`
    : `An earlier answer is now sent shortened: ${before.length} characters became ${now.length}.\n`;
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

/** Parts of a content are joined. */
export function textOf(content) {
  return Array.isArray(content) ? content.map(({ text = '' }) => text).join('') : (content ?? '');
}
