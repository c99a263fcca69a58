import * as v from 'valibot';

/** A proposed change of a draft. */
export const proposalSchema = v.object({
  id: v.string(),
  by: v.pipe(v.string(), v.description('The reviewer, or the maker of the token, who proposes it.')),
  token: v.pipe(v.nullable(v.string()), v.description('The name of the API token; `null`: a person.')),
  at: v.string(),
  digest: v.pipe(v.string(), v.description('Of the draft that it was made from.')),
  title: v.string(),
  body: v.string(),
  note: v.pipe(v.string(), v.description('What the change is for; may be empty.')),
});
export type Proposal = Readonly<v.InferOutput<typeof proposalSchema>>;
