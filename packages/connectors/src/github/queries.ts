import { OWNERS_PLACES } from '@culprit/core/internal/domain/ownership';

/** GraphQL queries. Every value is a variable. Each file has its own `object`, because a failed blame nulls all of it. */

/** The aliases of the places of the code owners file. */
export const OWNERS_ALIASES = OWNERS_PLACES.github.map((_, place) => `owners${place}`);

const REPOSITORY = 'repository(owner:$owner,name:$name)';
const TEXT = '__typename ... on Blob{text isBinary isTruncated}';
/** A commit, behind the tags around it. */
const TAGGED = '...C ... on Tag{target{...C ... on Tag{target{...C}}}}';
const DATED = 'fragment C on GitObject{__typename ... on Commit{oid committedDate}}';

/** One part for each number below `count`. GraphQL takes commas for space. */
function each(count: number, part: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => part(index)).join(' ');
}

export function blameQuery(files: number): string {
  const owners = OWNERS_ALIASES.map((alias) => `${alias}:object(expression:$${alias}){${TEXT}}`);
  const variables = each(files, (file) => `$p${file}:String! $b${file}:String!`);
  const places = OWNERS_ALIASES.map((alias) => `$${alias}:String!`);
  const histories = each(
    files,
    (file) => `h${file}:history(first:20,path:$p${file}){nodes{oid committedDate}}`,
  );
  const objects = each(
    files,
    (file) =>
      `f${file}:object(expression:$rev){... on Commit{blame(path:$p${file}){ranges{startingLine endingLine commit{oid committedDate}}}}}
      e${file}:object(expression:$b${file}){${TEXT}}`,
  );
  return `query Blame($owner:String!,$name:String!,$rev:String!,$ignore:String! ${variables} ${places.join(' ')}){
  ${REPOSITORY}{
    ignore:object(expression:$ignore){... on Blob{text isTruncated}}
    ${owners.join(' ')}
    rev:object(expression:$rev){... on Commit{recent:history(first:100){nodes{oid committedDate messageHeadline}} ${histories}}}
    ${objects}
  }
}`;
}

export function commitsQuery(commits: number, pullRequests: boolean): string {
  const variables = each(commits, (commit) => `$s${commit}:GitObjectID!`);
  const objects = each(commits, (commit) => `c${commit}:object(oid:$s${commit}){...C}`);
  const pulls = pullRequests ? 'associatedPullRequests(first:1){nodes{number url title}}' : '';
  return `query Commits($owner:String!,$name:String!,${variables}){${REPOSITORY}{${objects}}}
fragment C on Commit{oid url message messageHeadline committedDate additions deletions parents(first:2){nodes{oid}} author{name user{login}} ${pulls}}`;
}

/** The revision as every hint names it, the head, and whether the hints' commits are in the default branch. */
export function revisionQuery(commits: number, tags: number): string {
  const named = each(commits, (commit) => `$c${commit}:String!`);
  const tagged = each(tags, (tag) => `$t${tag}:String!`);
  const compared = each(commits, (commit) => `c${commit}:compare(headRef:$c${commit}){status}`);
  return `query Revision($owner:String!,$name:String!,$until:GitTimestamp! ${named} ${tagged}){
  ${REPOSITORY}{
    head:defaultBranchRef{target{...C ... on Commit{dated:history(first:1,until:$until){nodes{oid committedDate}}}} ${compared}}
    ${each(commits, (commit) => `c${commit}:object(expression:$c${commit}){...C}`)}
    ${each(tags, (tag) => `t${tag}:ref(qualifiedName:$t${tag}){target{${TAGGED}}}`)}
  }
}
${DATED}`;
}

/** The entries of folders, without those of their folders. */
export function foldersQuery(folders: number): string {
  const variables = each(folders, (folder) => `$f${folder}:String!`);
  const objects = each(
    folders,
    (folder) => `f${folder}:object(expression:$f${folder}){... on Tree{entries{name type}}}`,
  );
  return `query Folders($owner:String!,$name:String! ${variables}){${REPOSITORY}{${objects}}}`;
}

/** For a copy: the current name, the size in kilobytes and the default branch. */
export const SOURCE_QUERY = `query Source($owner:String!,$name:String!){
  ${REPOSITORY}{nameWithOwner diskUsage defaultBranchRef{name}}
}`;

/** A page of branches or tags, each compared with one commit. */
export const REFS_QUERY = `query Refs($owner:String!,$name:String!,$prefix:String!,$sha:String!,$after:String){
  repository(owner:$owner,name:$name){
    refs(refPrefix:$prefix,first:50,after:$after,orderBy:{field:TAG_COMMIT_DATE,direction:DESC}){
      nodes{compare(headRef:$sha){status}} pageInfo{hasNextPage endCursor}
    }
  }
}`;

/**
 * The newest tags whose names contain a text, releases and deployments. Deployments are asked for separately, because a refused
 * connection makes all of its repository `null`.
 */
export function releasesQuery(deployments: boolean): string {
  const newest = 'orderBy:{field:CREATED_AT,direction:DESC}';
  const deployed = `deployed:${REPOSITORY}{
    deployments(first:100,${newest}){nodes{commit{...C} ref{name} environment payload state createdAt}}
  }`;
  return `query Releases($owner:String!,$name:String!,$text:String!){
  ${REPOSITORY}{
    tags:refs(refPrefix:"refs/tags/",first:100,query:$text,orderBy:{field:TAG_COMMIT_DATE,direction:DESC}){
      nodes{name target{${TAGGED}}}
    }
    releases(first:50,${newest}){nodes{name tagName tagCommit{...C}}}
  }
  ${deployments ? deployed : ''}
}
${DATED}`;
}

/** A page of the newest tags with their dates, and the date of one commit. */
export const TAGS_QUERY = `query Tags($owner:String!,$name:String!,$sha:GitObjectID!,$after:String){
  repository(owner:$owner,name:$name){
    commit:object(oid:$sha){...C}
    refs(refPrefix:"refs/tags/",first:100,after:$after,orderBy:{field:TAG_COMMIT_DATE,direction:DESC}){
      nodes{name target{...C ... on Tag{tagger{date} target{...C ... on Tag{target{...C}}}}}} pageInfo{hasNextPage endCursor}
    }
  }
}
fragment C on GitObject{__typename ... on Commit{oid committedDate}}`;

/** Tags compared with one commit. */
export function comparedTagsQuery(tags: number): string {
  const variables = each(tags, (tag) => `$t${tag}:String!`);
  const refs = each(
    tags,
    (tag) => `t${tag}:ref(qualifiedName:$t${tag}){compare(headRef:$sha){status aheadBy}}`,
  );
  return `query Compare($owner:String!,$name:String!,$sha:String! ${variables}){${REPOSITORY}{${refs}}}`;
}

/** What closed an issue: the event that did, and the pull requests that are linked to it. */
export const FIX_QUERY = `query Fix($owner:String!,$name:String!,$number:Int!){
  repository(owner:$owner,name:$name){
    issue(number:$number){
      timelineItems(last:1,itemTypes:[CLOSED_EVENT]){nodes{... on ClosedEvent{closer{__typename ... on Commit{oid} ...P}}}}
      closedByPullRequestsReferences(first:20,includeClosedPrs:true){nodes{...P}}
    }
  }
}
fragment P on PullRequest{number url mergedAt mergeCommit{oid}}`;

/** Who changed the title or the text of an issue last. */
export const EDIT_QUERY = `query LastEdit($owner:String!,$name:String!,$number:Int!){
  repository(owner:$owner,name:$name){
    issue(number:$number){
      lastEditedAt
      editor{login}
      timelineItems(last:1,itemTypes:[RENAMED_TITLE_EVENT]){nodes{... on RenamedTitleEvent{createdAt actor{login}}}}
    }
  }
}`;

/** Candidates for each login: GitHub's search matches parts of names. */
const CANDIDATES = 20;

/** About a token and a repository. Connections are asked for separately, because a refused one makes all of its repository `null`. */
export function checkQuery(assignees: number): string {
  const variables = each(assignees, (at) => `$l${at}:String!`);
  const searches = each(
    assignees,
    (at) => `a${at}:assignableUsers(first:${CANDIDATES},query:$l${at}){nodes{login}}`,
  );
  return `query Check($owner:String!,$name:String! ${variables}){viewer{login} ${REPOSITORY}{
  nameWithOwner isArchived hasIssuesEnabled viewerPermission defaultBranchRef{name} head:object(expression:"HEAD"){__typename}
} issues:${REPOSITORY}{issues(first:1){totalCount}} ${searches === '' ? '' : `people:${REPOSITORY}{${searches}}`}}`;
}
