import { useEffect, useState } from 'preact/hooks';
import { report } from '../state/session.js';
import type { DigestPageProps } from './digest-page.js';

type Page = typeof import('./digest-page.js');
let page: Page | null = null;

/** The page of the digest, once its chunk has loaded. */
export function LazyDigest(props: DigestPageProps) {
  const [, redraw] = useState(0);
  useEffect(() => {
    if (page !== null) return;
    import('./digest-page.js').then((loaded) => {
      page = loaded;
      redraw(1);
    }, report);
  }, []);
  return page === null ? <p class="none">Loading…</p> : <page.DigestPage {...props} />;
}
