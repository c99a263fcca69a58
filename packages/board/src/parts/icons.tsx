/** Decorative: every icon has a text next to it. */
interface IconProps {
  readonly path: string;
  readonly size?: number;
}

export function Icon({ path, size = 14 }: IconProps) {
  return (
    <svg width={size} height={size} viewBox="0 0 16 16" aria-hidden="true">
      <path d={path} fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" />
    </svg>
  );
}

export const ICONS = {
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM11 11l3 3',
  check: 'M3 8.5l3.5 3.5L13 4.5',
  cross: 'M4 4l8 8M12 4l-8 8',
  gate: 'M3 14V5l5-3 5 3v9M8 8v3',
  pen: 'M3 13l1-4 7-7 3 3-7 7z',
  work: 'M8 2v3M8 11v3M2 8h3M11 8h3M4 4l2 2M10 10l2 2M12 4l-2 2M6 10l-2 2',
  issue: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 8h.01',
  merge: 'M4 2v5a4 4 0 0 0 4 4h5M10 8l3 3-3 3M4 14v-3',
  left: 'M10 3L5 8l5 5',
  right: 'M6 3l5 5-5 5',
  down: 'M3 6l5 5 5-5',
  sun: 'M8 10.5A2.5 2.5 0 1 0 8 5.500a2.500 2.500 0 0 0 0 5zM8 1.500v1M8 13.500v1M1.500 8h1M13.500 8h1M3.400 3.400l.7.7M11.900 11.900l.7.7M12.600 3.400l-.7.7M4.100 11.900l-.7.7',
  moon: 'M13 9.500A5.500 5.500 0 0 1 6.500 3a5.500 5.500 0 1 0 6.500 6.500z',
  auto: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 2v12M10.500 3v10M12.500 5v6',
  bell: 'M3.500 11.500h9M4.500 11.500V7a3.500 3.500 0 0 1 7 0v4.500M7 14h2',
  copy: 'M6 6h7v7H6zM10 3H3v7',
  user: 'M8 7.500a2.500 2.500 0 1 0 0-5a2.500 2.500 0 0 0 0 5zM3 14a5 5 0 0 1 10 0',
} as const;

/** The logo. */
export function Mark({ size = 20 }: { readonly size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <path
        d="M22 9a10 10 0 1 0 0 14"
        fill="none"
        stroke="currentColor"
        stroke-width="4"
        stroke-linecap="round"
      />
      <circle cx="24" cy="16" r="4" fill="var(--accent)" />
    </svg>
  );
}
