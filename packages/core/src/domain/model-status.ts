import * as v from 'valibot';
import { about, type Doc, named, text } from './schema.js';

const limitSchema = v.object({
  name: v.picklist(['schema', 'thoughts', 'length']),
  holds: about(v.nullable(v.boolean()), 'null: the probe could not find out.'),
  detail: about(v.string(), 'Part of a sentence: what that means for explanations.'),
});

export const modelStatusSchema = named(
  'ModelStatus',
  'What is known about the configured model.',
  v.object({
    explainer: v.string(),
    model: about(v.string(), 'As it is configured.'),
    version: about(text, 'Which version answers, as the model server says; null: unknown.'),
    state: about(
      v.picklist(['not_probed', 'probing', 'unreachable', 'unusable', 'usable']),
      '`probing`: no result yet. `unreachable`: the model server does not answer, and is asked again. `unusable`: it gives no usable answer, so explanations are deterministic.',
    ),
    reason: about(text, 'Why it is unreachable or unusable.'),
    investigates: about(
      v.optional(v.nullable(v.picklist(['loop', 'steps', 'no']))),
      '`loop`: it can call tools, so it asks its own questions. `steps`: it answers three fixed calls. Null or absent: not known yet.',
    ),
    probed_at: about(text, 'When it last answered a probe; null: never.'),
    limits: about(
      v.array(limitSchema),
      'What the probe found about each limit that the model is asked to respect; empty before the first probe.',
    ),
  }),
);
/** What is known about the model of an explainer. `reason` is part of a sentence, and may contain the model's words. */
export interface ModelStatus extends Doc<typeof modelStatusSchema> {}
