const WORDS: Readonly<Record<string, string>> = {
  staged: 'Staged',
  'gate1.approve': 'Gate 1 approved',
  'gate1.reject': 'Rejected at Gate 1',
  'gate2.approve': 'Signed at Gate 2',
  'gate2.reject': 'Rejected at Gate 2',
  'gate2.return': 'Returned to Gate 1',
  'gate1.reopen': 'Rejection undone',
  'gate2.reopen': 'Rejection undone',
  'gate1.snooze': 'Snoozed at Gate 1',
  'gate2.snooze': 'Snoozed at Gate 2',
  'snooze.change': 'Snooze changed',
  'gate1.wake': 'Awake at Gate 1',
  'gate2.wake': 'Awake at Gate 2',
  claim: 'Claimed',
  'claim.release': 'Claim released',
  comment: 'Comment',
  'draft.edit': 'Draft edited',
  tree: 'File tree read',
  locate: 'Frames located',
  blame: 'Lines blamed',
  rank: 'Commits ranked',
  explain: 'Explained',
  compose: 'Draft written',
  'analysis.done': 'Analysis done',
  'analysis.failed': 'Analysis failed',
  'analysis.resumed': 'Analysis resumed',
  'publish.resumed': 'Publishing resumed',
  'publish.done': 'Issue published',
  'publish.refused': 'Rejected by the code host',
};

/** The words for a history entry's name. */
export function decisionWords(name: string): string {
  return Object.hasOwn(WORDS, name) ? (WORDS[name] ?? name) : name;
}
