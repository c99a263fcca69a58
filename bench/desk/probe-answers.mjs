/** What a good model answers to the questions of our probe, so that nobody sits at the desk for them. `null`: it is no probe. */
export function probeAnswer(body) {
  const asked = body.messages.at(-1).content;
  const tool = body.tools?.[0]?.function.name;
  if (tool !== undefined && body.tools.length === 1 && body.messages.length <= 2) return null;
  if (/^There is no evidence\./.test(asked)) return completion(body, '{"insufficient": true, "claims": []}');
  if (asked === 'Say hello.') return completion(body, '{"insufficient": true, "claims": []}');
  if (asked === 'Count from 1 to 300.') return completion(body, '1, 2, 3, 4, 5, 6', 'length');
  return null;
}

function completion({ model }, content, finish_reason = 'stop') {
  return {
    id: 'probe',
    object: 'chat.completion',
    model,
    choices: [{ index: 0, finish_reason, message: { role: 'assistant', content } }],
    usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 },
  };
}
