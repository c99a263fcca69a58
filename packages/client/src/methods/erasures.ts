import type { Answer, Call } from '../call.js';

/** An erasure of a person: what was found, and how far it is. */
export type Erasure = Answer<'getErasure', 200>;

const WORKING: readonly Erasure['state'][] = ['counting', 'checking', 'erasing'];
const POLL_MS = 500;

/** Counts and erases a person in everything that core stores. Needs the scope `operate` in all projects. */
export function erasureMethods(call: Call) {
  const get = (erasure_id: string) => call('getErasure', { path: { erasure_id } });
  return {
    /** Newest first. */
    list: async () => (await call('listErasures', {})).erasures,
    get,
    /** Starts to count what erasing `person` would erase. */
    count: (person: string) => call('countErasure', { body: { person } }),
    /** Starts to erase what was counted. Rejects with `erasure_changed` if it is another person or digest. */
    erase: (erasure_id: string, person: string, digest: string) =>
      call('erasePerson', { path: { erasure_id }, body: { person, digest } }),
    /** Resolves when nothing of it runs any more: counted, changed, done or failed. `progress` is called about twice a second. */
    settled: async (erasure_id: string, progress: (erasure: Erasure) => void = () => {}) => {
      for (;;) {
        const erasure = await get(erasure_id);
        if (!WORKING.includes(erasure.state)) return erasure;
        progress(erasure);
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      }
    },
  };
}
