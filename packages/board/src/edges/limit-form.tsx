import type { Edge } from '@culprit/client';
import { useSignal } from '@preact/signals';
import { api } from '../api.js';
import { whole } from '../format.js';
import { Form, useOpener } from '../parts/form.js';
import { announcement, mayEverywhere } from '../state/session.js';

/** Changes a limit of a running edge, as `culprit edges set` does. For operators of all projects. */
export function EdgeLimits({ edge }: { readonly edge: string }) {
  const limits = useSignal<Edge['limits'] | null>(null);
  const form = useOpener('Change a limit', async () => {
    limits.value = (await api.listEdges()).edges.find((one) => one.edge === edge)?.limits ?? {};
    return Object.keys(limits.value).length > 0;
  });
  if (!mayEverywhere('operate')) return null;
  const known = limits.value ?? {};
  if (form.isOpen)
    return (
      <Form
        id={`limit-${edge}`}
        title={`Change a limit of ${edge}`}
        bare
        focus="name"
        paired
        fields={{
          name: {
            label: 'Limit',
            options: Object.keys(known)
              .sort()
              .map((name) => [name, name]),
          },
          value: {
            label: 'New value; empty: the configured one',
            input: { type: 'number', min: 1, step: 1 },
          },
        }}
        note={({ name }) => {
          const chosen = known[name];
          return (
            chosen && (
              <p class="soft">
                It is {whole(chosen.value)}, and {whole(chosen.configured)} is configured. A change survives a
                restart of the edge.
              </p>
            )
          );
        }}
        submit="Change"
        cancel={form.close}
        send={async ({ name, value }) => {
          const values = { [name]: value === '' ? null : Number(value) };
          await api.commandEdge({ edge, kind: 'limits', values });
          announcement.value = 'Command queued. The edge polls every few seconds.';
          form.close();
        }}
      />
    );
  return (
    <div class="actions">
      {form.button}
      {limits.value !== null && Object.keys(known).length === 0 && (
        <p class="soft" role="status">
          This edge has reported no limits since core started. An edge reports them every few seconds while it
          can reach core: try again, or check its log.
        </p>
      )}
    </div>
  );
}
