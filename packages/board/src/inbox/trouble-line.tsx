import { ICONS, Icon } from '../parts/icons.js';
import { visible } from '../parts/text.js';
import { troubleLines } from '../state/trouble.js';

/** What an operator must see, above the runs. */
export function TroubleLine() {
  const lines = troubleLines.value;
  if (lines.length === 0) return null;
  return (
    <a class="trouble untrusted" href="#/edges">
      <Icon path={ICONS.issue} size={13} />
      <span>
        {visible(lines[0] ?? '')}
        {lines.length > 1 && <b> and {lines.length - 1} more</b>}
      </span>
    </a>
  );
}
