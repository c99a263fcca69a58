import type { JsonObject, JsonValue } from '@culprit/core';
import { Marked } from '../parts/marked.js';
import { Scroller } from '../parts/scroller.js';
import { Text, visible } from '../parts/text.js';

/** Names and values that a sender chose. Values with members are JSON. */
export function Members({ of }: { readonly of: JsonObject }) {
  return (
    <dl class="members">
      {Object.entries(of).map(([name, value]) => (
        <div key={name}>
          <Text as="dt" of={name} />
          <dd class="untrusted">
            <Value name={name} value={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Value({ name, value = null }: { readonly name: string; readonly value: JsonValue | undefined }) {
  if (typeof value === 'string')
    return value === '' ? <span class="soft">empty</span> : <Marked text={value} />;
  if (typeof value !== 'object' || value === null) return <span class="scalar">{String(value)}</span>;
  const text = JSON.stringify(value, null, 1);
  if (text.length <= SHORT) return <Marked text={JSON.stringify(value)} />;
  return (
    <Scroller class="json" label={`Value of ${visible(name)}`}>
      <pre>
        <Marked text={text} />
      </pre>
    </Scroller>
  );
}

/** Characters of JSON that are shown on one line. */
const SHORT = 100;
