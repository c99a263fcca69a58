import { type CodeMapping, CulpritError, type ProjectConfig } from '@culprit/core';
import * as v from 'valibot';
import { checkProject, DEFAULT_PROJECT } from './formats.js';
import { readRepository } from './read-repository.js';
import { unknownKey } from './sources.js';

const texts = v.optional(v.array(v.string()));
const projectSchema = v.strictObject({
  repository: v.optional(v.string()),
  publishRepository: v.optional(v.string()),
  mappings: v.optional(v.array(v.strictObject({ stack_root: v.string(), source_root: v.string() }))),
  labels: texts,
  assignees: texts,
  commitLabels: v.optional(v.boolean()),
});
const projectsSchema = v.record(v.string(), projectSchema);

/** The file's `projects`, and `default` from `REPOSITORY` and `CODE_MAPPINGS` where the file does not name it. */
export function readProjects(
  value: unknown,
  fallback: { readonly repository: string | null; readonly codeMappings: readonly CodeMapping[] },
  cwd: string,
): Readonly<Record<string, ProjectConfig>> {
  const parsed = v.safeParse(projectsSchema, value ?? {});
  if (!parsed.success) {
    const issue = parsed.issues[0];
    const path = `projects.${v.getDotPath(issue) ?? ''}`;
    if (issue.type === 'strict_object' && issue.expected === 'never') {
      throw unknownKey(
        `${path} is not a setting`,
        path.split('.').at(-1) ?? '',
        Object.keys(projectSchema.entries),
      );
    }
    throw new CulpritError('configuration', `${path} must be ${issue.expected ?? 'valid'}.`, { path });
  }
  const shared: ProjectConfig = {
    ...(fallback.repository === null ? {} : { repository: fallback.repository }),
    ...(fallback.codeMappings.length === 0 ? {} : { mappings: fallback.codeMappings }),
  };
  const projects: Record<string, ProjectConfig> = { [DEFAULT_PROJECT]: shared };
  for (const [name, project] of Object.entries(parsed.output)) {
    checkProject({ text: name, origin: `projects.${name}`, key: 'projects' }, name);
    projects[name] = {
      ...(name === DEFAULT_PROJECT ? shared : {}),
      ...(withoutUndefined(project) as ProjectConfig),
      ...(project.repository === undefined
        ? {}
        : { repository: readRepository(project.repository, cwd) ?? project.repository }),
    };
  }
  return projects;
}

function withoutUndefined(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined));
}
