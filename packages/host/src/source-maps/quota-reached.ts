/** A quota that an upload exceeds. `project: null`: that of all together. */
export interface Exceeded {
  readonly project: string | null;
}

/** What its sender reads. `how`: by how much, after a colon. */
export function quotaReached({ project }: Exceeded, how = ''): string {
  const [whose, setting] =
    project === null ? ['', 'SOURCE_MAPS_QUOTA'] : [` of project "${project}"`, 'SOURCE_MAPS_PROJECT_QUOTA'];
  return `The quota of source maps${whose} is reached${how}. Delete uploads with "culprit sourcemaps delete", or raise ${setting}.`;
}
