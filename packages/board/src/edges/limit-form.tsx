import type { Edge } from '@culprit/client';
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { api } from '../api.js';
import { whole } from '../format.js';
import { FormEnd, SelectField, TextField } from '../parts/field.js';
import { useFieldSubmit } from '../parts/use-submit.js';
import { announcement, mayEverywhere, report } from '../state/session.js';

/** Changes a limit of a running edge, as `culprit edges set` does. For operators of all projects. */
export function EdgeLimits({ edge }: { readonly edge: string }) {
  const limits = useSignal<Edge['limits'] | null>(null);
  const isUnknown = useSignal(false);
  const again = useRef<HTMLButtonElement>(null);
  if (!mayEverywhere('operate')) return null;
  const open = async () => {
    try {
      const found = (await api.listEdges()).edges.find((one) => one.edge === edge);
      limits.value = found?.limits ?? null;
      isUnknown.value = isEmpty(limits.value);
    } catch (error) {
      report(error);
    }
  };
  const close = () => {
    limits.value = null;
    requestAnimationFrame(() => again.current?.focus());
  };
  if (limits.value !== null && !isEmpty(limits.value))
    return <LimitForm edge={edge} limits={limits.value} close={close} />;
  return (
    <div class="actions">
      <button ref={again} type="button" class="button small" onClick={() => void open()}>
        Change a limit
      </button>
      {isUnknown.value && (
        <p class="soft" role="status">
          This edge has reported no limits since core started. It does so every few seconds while it reaches
          core: try again, or look at its log.
        </p>
      )}
    </div>
  );
}

function isEmpty(limits: Edge['limits'] | null): boolean {
  return limits === null || Object.keys(limits).length === 0;
}

interface LimitFormProps {
  readonly edge: string;
  readonly limits: Edge['limits'];
  readonly close: () => void;
}

function LimitForm({ edge, limits, close }: LimitFormProps) {
  const form = `limit-${edge}`;
  const names = Object.keys(limits).sort();
  const name = useSignal(names[0] ?? '');
  const value = useSignal('');
  useEffect(() => document.getElementById(`${form}-name`)?.focus(), []);
  const { busy, problem, onSubmit } = useFieldSubmit(form, ['value'], async () => {
    const wanted = value.value.trim() === '' ? null : Number(value.value);
    await api.commandEdge({ edge, kind: 'limits', values: { [name.value]: wanted } });
    announcement.value = 'Command queued. The edge polls every few seconds.';
    close();
  });
  const chosen = limits[name.value];
  const common = { form, problem };
  return (
    <form class="panel" aria-label={`Change a limit of ${edge}`} onSubmit={onSubmit}>
      <div class="pair">
        <SelectField {...common} name="name" label="Limit" text={name} values={names} />
        <TextField
          {...common}
          name="value"
          label="New value; empty: the configured one"
          text={value}
          input={{ type: 'number', min: 1, step: 1 }}
        />
      </div>
      {chosen && (
        <p class="soft">
          It is {whole(chosen.value)}, and {whole(chosen.configured)} is configured. A change survives a
          restart of the edge.
        </p>
      )}
      <FormEnd problem={problem} busy={busy} submit="Change" cancel={close} />
    </form>
  );
}
