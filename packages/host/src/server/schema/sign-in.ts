import { about } from '@culprit/core/internal/domain/schema';
import * as v from 'valibot';
import { SIGN_IN_PROBLEMS } from '../oidc/options.js';

/** How people can sign in besides with a token. */
export const signInOptionsSchema = v.object({
  provider: v.nullable(
    v.object({
      name: v.string(),
      path: about(v.string(), 'Where the sign-in begins, with the path of the board.'),
      problem: about(
        v.nullable(v.picklist(SIGN_IN_PROBLEMS)),
        'Why nobody can sign in there at the moment; `null`: no problem is known.',
      ),
    }),
  ),
});
