import { OWNERS_PLACES } from '@culprit/core';

/** GraphQL queries. Every value is a variable. Each file has its own `object`, because a failed blame nulls all of it. */

/** The aliases of the places of the code owners file. */
export const OWNERS_ALIASES = OWNERS_PLACES.github.map((_, place) => `owners${place}`);

export function blameQuery(files: number): string {
  const variables: string[] = [];
  const histories: string[] = [];
  const objects: string[] = [];
  for (let file = 0; file < files; file++) {
    variables.push(`$p${file}:String!,$b${file}:String!`);
    histories.push(`h${file}:history(first:20,path:$p${file}){nodes{oid committedDate}}`);
    objects.push(
      `f${file}:object(expression:$rev){... on Commit{blame(path:$p${file}){ranges{startingLine endingLine commit{oid committedDate}}}}}`,
      `e${file}:object(expression:$b${file}){__typename ... on Blob{text isBinary isTruncated}}`,
    );
  }
  const owners = OWNERS_ALIASES.map(
    (alias) => `${alias}:object(expression:$${alias}){__typename ... on Blob{text isBinary isTruncated}}`,
  );
  for (const alias of OWNERS_ALIASES) variables.push(`$${alias}:String!`);
  return `query Blame($owner:String!,$name:String!,$rev:String!,$ignore:String!${variables.map((variable) => `,${variable}`).join('')}){
  repository(owner:$owner,name:$name){
    ignore:object(expression:$ignore){... on Blob{text isTruncated}}
    ${owners.join(' ')}
    rev:object(expression:$rev){... on Commit{recent:history(first:100){nodes{oid committedDate messageHeadline}} ${histories.join(' ')}}}
    ${objects.join('\n    ')}
  }
}`;
}

export function commitsQuery(commits: number, pullRequests: boolean): string {
  const variables = Array.from({ length: commits }, (_, commit) => `$s${commit}:GitObjectID!`);
  const objects = Array.from({ length: commits }, (_, commit) => `c${commit}:object(oid:$s${commit}){...C}`);
  const pulls = pullRequests ? 'associatedPullRequests(first:1){nodes{number url title}}' : '';
  return `query Commits($owner:String!,$name:String!,${variables.join(',')}){repository(owner:$owner,name:$name){${objects.join(' ')}}}
fragment C on Commit{oid url message messageHeadline committedDate additions deletions parents(first:2){nodes{oid}} author{name user{login}} ${pulls}}`;
}

/** The revision as every hint names it, the head, and whether the hints' commits are in the default branch. */
export function revisionQuery(commits: number, tags: number): string {
  const variables: string[] = [];
  const compared: string[] = [];
  const objects: string[] = [];
  for (let commit = 0; commit < commits; commit++) {
    variables.push(`$c${commit}:String!`);
    compared.push(`c${commit}:compare(headRef:$c${commit}){status}`);
    objects.push(`c${commit}:object(expression:$c${commit}){...C}`);
  }
  for (let tag = 0; tag < tags; tag++) {
    variables.push(`$t${tag}:String!`);
    objects.push(
      `t${tag}:ref(qualifiedName:$t${tag}){target{...C ... on Tag{target{...C ... on Tag{target{...C}}}}}}`,
    );
  }
  return `query Revision($owner:String!,$name:String!,$until:GitTimestamp!${variables.map((variable) => `,${variable}`).join('')}){
  repository(owner:$owner,name:$name){
    head:defaultBranchRef{target{...C ... on Commit{dated:history(first:1,until:$until){nodes{oid committedDate}}}} ${compared.join(' ')}}
    ${objects.join('\n    ')}
  }
}
fragment C on GitObject{__typename ... on Commit{oid committedDate}}`;
}

/** The entries of folders, without those of their folders. */
export function foldersQuery(folders: number): string {
  const all = Array.from({ length: folders }, (_, folder) => folder);
  const variables = all.map((folder) => `,$f${folder}:String!`).join('');
  const objects = all.map(
    (folder) => `f${folder}:object(expression:$f${folder}){... on Tree{entries{name type}}}`,
  );
  return `query Folders($owner:String!,$name:String!${variables}){repository(owner:$owner,name:$name){${objects.join(' ')}}}`;
}

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
  const deployed = `deployed:repository(owner:$owner,name:$name){
    deployments(first:100,${newest}){nodes{commit{...C} ref{name} environment payload state createdAt}}
  }`;
  return `query Releases($owner:String!,$name:String!,$text:String!){
  repository(owner:$owner,name:$name){
    tags:refs(refPrefix:"refs/tags/",first:100,query:$text,orderBy:{field:TAG_COMMIT_DATE,direction:DESC}){
      nodes{name target{...C ... on Tag{target{...C ... on Tag{target{...C}}}}}}
    }
    releases(first:50,${newest}){nodes{name tagName tagCommit{...C}}}
  }
  ${deployments ? deployed : ''}
}
fragment C on GitObject{__typename ... on Commit{oid committedDate}}`;
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
  const all = Array.from({ length: tags }, (_, tag) => tag);
  const refs = all.map((tag) => `t${tag}:ref(qualifiedName:$t${tag}){compare(headRef:$sha){status aheadBy}}`);
  return `query Compare($owner:String!,$name:String!,$sha:String!${all.map((tag) => `,$t${tag}:String!`).join('')}){repository(owner:$owner,name:$name){${refs.join(' ')}}}`;
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
