/** Violations of Slack's documented block rules, as far as our app can cause them. `null`: valid. */

type Json = Record<string, unknown>;

/** https://docs.slack.dev/reference/block-kit/blocks and /composition-objects/text-object */
export function wrongBlocks(blocks: unknown, most = 50): string | null {
  if (!Array.isArray(blocks) || blocks.length === 0 || blocks.length > most) return 'number of blocks';
  for (const block of blocks as Json[]) {
    const wrong = wrongBlock(block);
    if (wrong !== null) return `${String(block.type)}: ${wrong}`;
  }
  return null;
}

function wrongBlock(block: Json): string | null {
  switch (block.type) {
    case 'header':
      return wrongText(block.text, 150, ['plain_text']);
    case 'section':
      return wrongText(block.text, 3_000, ['plain_text', 'mrkdwn']);
    case 'context': {
      const elements = block.elements as Json[];
      if (!Array.isArray(elements) || elements.length < 1 || elements.length > 10) return 'elements';
      return firstOf(elements, (element) => wrongText(element, 3_000, ['plain_text', 'mrkdwn']));
    }
    case 'actions': {
      const elements = block.elements as Json[];
      if (!Array.isArray(elements) || elements.length < 1 || elements.length > 25) return 'elements';
      return firstOf(elements, wrongButton);
    }
    case 'input':
      return wrongText(block.label, 2_000, ['plain_text']) ?? wrongInput(block.element as Json);
    default:
      return 'unknown type';
  }
}

function wrongButton(button: Json): string | null {
  if (button.type !== 'button') return 'not a button';
  if (typeof button.action_id !== 'string' || button.action_id.length > 255) return 'action_id';
  if (button.value !== undefined && (typeof button.value !== 'string' || button.value.length > 2_000))
    return 'value';
  if (button.style !== undefined && !['primary', 'danger'].includes(String(button.style))) return 'style';
  return wrongText(button.text, 75, ['plain_text']);
}

function wrongInput(element: Json): string | null {
  if (element.type === 'plain_text_input') return Number(element.max_length) > 3_000 ? 'max_length' : null;
  if (element.type !== 'radio_buttons') return 'input element';
  const options = element.options as Json[];
  if (options.length < 1 || options.length > 10) return 'options';
  return firstOf(options, (option) => wrongText(option.text, 75, ['plain_text', 'mrkdwn']));
}

/** https://docs.slack.dev/reference/views/modal-views */
export function wrongModal(view: Json): string | null {
  if (view.type !== 'modal') return 'type';
  if (typeof view.private_metadata === 'string' && view.private_metadata.length > 3_000)
    return 'private_metadata';
  const blocks = view.blocks as Json[];
  if (blocks.some(({ type }) => type === 'input') && view.submit === undefined) return 'submit';
  return (
    wrongText(view.title, 24, ['plain_text']) ??
    (view.submit === undefined ? null : wrongText(view.submit, 24, ['plain_text'])) ??
    wrongBlocks(blocks, 100)
  );
}

function wrongText(text: unknown, most: number, types: readonly string[]): string | null {
  const { type, text: content, verbatim, emoji } = (text ?? {}) as Json;
  if (!types.includes(String(type))) return `text type ${String(type)}`;
  if (typeof content !== 'string' || content.length < 1 || content.length > most)
    return `text length ${String(content).length}`;
  if (type === 'plain_text' && verbatim !== undefined) return 'verbatim in plain_text';
  if (type === 'mrkdwn' && emoji !== undefined) return 'emoji in mrkdwn';
  return null;
}

function firstOf(all: readonly Json[], wrong: (one: Json) => string | null): string | null {
  for (const one of all) {
    const found = wrong(one);
    if (found !== null) return found;
  }
  return null;
}
