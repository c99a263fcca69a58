import { about } from '@culprit/core/internal/domain/schema';
import * as v from 'valibot';

/** A proposed change of a draft. */
export const proposalSchema = v.object({
  id: v.string(),
  by: about(v.string(), 'The reviewer, or the maker of the token, who proposes it.'),
  token: about(v.nullable(v.string()), 'The name of the API token; `null`: a person.'),
  at: v.string(),
  digest: about(v.string(), 'Of the draft that it was made from.'),
  title: v.string(),
  body: v.string(),
  note: about(v.string(), 'What the change is for; may be empty.'),
});
export type Proposal = Readonly<v.InferOutput<typeof proposalSchema>>;
