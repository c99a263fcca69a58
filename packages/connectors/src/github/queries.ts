/** GraphQL queries. Every value is a variable. Each file has its own `object`, because a failed blame nulls all of it. */

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
  return `query Blame($owner:String!,$name:String!,$rev:String!,$ignore:String!${variables.map((variable) => `,${variable}`).join('')}){
  repository(owner:$owner,name:$name){
    ignore:object(expression:$ignore){... on Blob{text isTruncated}}
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
fragment C on Commit{oid url message messageHeadline committedDate additions deletions parents(first:2){nodes{oid}} author{name} ${pulls}}`;
}
