import { makeDelivery } from '@culprit/core/internal/testing/builders';

const KNOWN = 1_000;

/**
 * Deliveries for staging: every tenth has its own fingerprint, the others one of a thousand. `only`: `fresh` ones, or those of
 * fresh ones `again`. `levelOf`: of the nth fresh one.
 */
export function createDeliveries(levelOf = () => 'error') {
  let made = 0;
  let fresh = 0;
  return {
    /** Runs that exist now, if all of the known ones have come. */
    runs: () => fresh + KNOWN,
    next(sequence, only) {
      const n = made++;
      const isFresh = only === undefined ? n % 10 === 0 : only === 'fresh';
      const level = isFresh ? levelOf(fresh) : 'error';
      const again = only === 'again' ? `new${letters(n % fresh)}` : `known${letters(n % KNOWN)}`;
      const name = isFresh ? `new${letters(fresh++)}` : again;
      const frames = Array.from({ length: 12 }, (_, at) => ({
        file: `src/part${at}.js`,
        line: 10 + at,
        function: at === 11 ? name : `step${at}`,
        in_app: at > 5,
      }));
      const crash = {
        event_id: `e-${n}`,
        message: 'Cannot read properties of undefined',
        platform: 'node',
        level,
        release: 'shop@1.0.0',
        environment: 'production',
        tags: { region: 'eu' },
        stack_trace: { frames },
      };
      return makeDelivery({ sequence, event_id: crash.event_id, crash });
    },
  };
}

function letters(number) {
  let name = '';
  for (let rest = number, i = 0; i < 6; i++, rest = Math.floor(rest / 26))
    name += String.fromCharCode(97 + (rest % 26));
  return name;
}
