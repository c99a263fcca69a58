import * as v from 'valibot';
import { SIGN_IN_PROBLEMS } from '../oidc/options.js';

/** How people can sign in besides with a token. */
export const signInOptionsSchema = v.object({
  provider: v.nullable(
    v.object({
      name: v.string(),
      path: v.pipe(v.string(), v.description('Where the sign-in begins, with the path of the board.')),
      problem: v.pipe(
        v.nullable(v.picklist(SIGN_IN_PROBLEMS)),
        v.description('Why nobody can sign in there at the moment; `null`: nothing is known against it.'),
      ),
    }),
  ),
});
