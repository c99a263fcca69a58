import type { CodeMapping } from './code-mapping.js';
import type { AssignRule } from './ownership.js';
import type { Following } from './resolution.js';

/** Configuration of one project. */
export interface ProjectConfig {
  /** `owner/name` on the code host, or the path of a local git repository. Absent: no blame. */
  readonly repository?: string;
  /** Where issues are created. Default: `repository`. */
  readonly publishRepository?: string;
  /** Explicit code mappings, tried before any guess. */
  readonly mappings?: readonly CodeMapping[];
  /** Added to the built-in labels. */
  readonly labels?: readonly string[];
  readonly assignees?: readonly string[];
  /** Who is proposed as assignee besides `assignees`: the owners of the crashed file, or the suspect's author. Default `none`. */
  readonly assign?: AssignRule;
  /** Adds a label `suspect:<short sha>` per `auto` or `likely` suspect. */
  readonly commitLabels?: boolean;
  /** Default of these three: the policy's. */
  readonly resolvedRuns?: Following['resolvedRuns'];
  readonly closedIssues?: Following['closedIssues'];
  readonly regressionIssues?: Following['regressionIssues'];
}
