// Over 300 lines: generated from core's routes by `npm run reference`. Change the routes, not this file.

/** A run: one incident under triage, with its shown crash, suspects, explanation and draft. */
export interface Run {
  readonly run_id: string;
  readonly project: string;
  readonly state: 'staged_raw' | 'analyzing' | 'staged_draft' | 'publishing' | 'published' | 'rejected' | 'snoozed' | 'merged';
  readonly title: string;
  readonly fingerprint: {
    readonly version: string;
    readonly hash: string;
    readonly parts: readonly string[];
  };
  readonly level: 'fatal' | 'error' | 'warning' | 'info' | 'debug';
  readonly platform: string;
  readonly occurrences: number;
  /** Distinct users of the crashes with a user, of the trusted ones if there are any. `more`: over 1,000. Absent: not counted yet. */
  readonly users?: {
    readonly count: number;
    readonly more: boolean;
  } | undefined;
  /** Receipt of the first crash; of the first trusted one if there is any. */
  readonly first_seen: string;
  /** Receipt of the latest crash; of the latest trusted one if there is any. */
  readonly last_seen: string;
  /** When the first crash happened, by a trusted sender’s clock or else by its receipt. */
  readonly first_crash_at?: string | undefined;
  readonly releases: readonly string[];
  readonly environments: readonly string[];
  /** Where the shown crash was thrown. Absent without a stack, and in runs of older versions. */
  readonly place?: {
    readonly function: string | null;
    readonly file: string | null;
    readonly line: number | null;
  } | undefined;
  readonly doors: readonly ('webhook' | 'native' | 'sdk' | 'embedded')[];
  /** How the crashes were received. Absent for runs of older versions. */
  readonly sources?: readonly {
    readonly door: 'webhook' | 'native' | 'sdk' | 'embedded';
    readonly trust: 'trusted' | 'untrusted';
    readonly occurrences: number;
    readonly trackers?: readonly string[] | undefined;
    readonly first_seen: string;
    readonly last_seen: string;
    readonly event_id: string | null;
  }[] | undefined;
  readonly revision: {
    readonly sha: string;
    readonly how: 'explicit' | 'release' | 'tag' | 'date' | 'head';
    /** What the repository does not show there. Absent: nothing is known to be missing. */
    readonly gaps?: readonly ({
      readonly code: 'shallow';
      /** Before this time the history is incomplete. */
      readonly since: string;
      readonly detail: string;
      /** What closes the gap, run in the clone. */
      readonly command: string | null;
    } | {
      readonly code: 'missing_content' | 'files_not_listed';
      readonly detail: string;
      /** What closes the gap, run in the clone. */
      readonly command: string | null;
    } | {
      readonly code: 'replaced';
      readonly commits: number;
      readonly detail: string;
      /** What closes the gap, run in the clone. */
      readonly command: string | null;
    } | {
      readonly code: 'submodule';
      readonly path: string;
      readonly detail: string;
      /** What closes the gap, run in the clone. */
      readonly command: string | null;
    } | {
      readonly code: 'revision_missing';
      readonly named: string;
      readonly detail: string;
      /** What closes the gap, run in the clone. */
      readonly command: string | null;
    })[] | undefined;
  } | null;
  readonly no_suspect: {
    readonly code: 'no_frames' | 'no_code_host' | 'no_revision' | 'foreign_revision' | 'no_mapped_frame' | 'in_submodule' | 'blame_failed' | 'history_ends' | 'commit_replaced' | 'no_candidates';
    readonly detail: string;
    /** For `history_ends` and `commit_replaced`: the commit that blame leads to. */
    readonly end?: {
      readonly sha: string;
      readonly committed_at: string;
    } | undefined;
  } | null;
  readonly publication: {
    readonly issue_url: string;
    readonly number: number;
    readonly comment_url?: string | undefined;
    readonly published_at: string;
    readonly digest: string;
    readonly divergence: readonly string[];
  } | null;
  readonly regression_of: string | null;
  /** The reviewer who approved Gate 1 in this cycle. Absent in runs that an older version analysed. */
  readonly approved_by?: string | null | undefined;
  /** What closed the issue, while it is closed as completed, and the releases without it that crashed since. */
  readonly fix?: {
    readonly commit: string;
    readonly pull_request: {
      readonly number: number;
      readonly url: string;
    } | null;
    readonly missing_in: readonly string[];
    readonly occurrences: number;
  } | null | undefined;
  /** Set on a published run that is over: its next crash is a regression. */
  readonly resolution?: {
    readonly as: 'fixed' | 'not_planned' | 'duplicate';
    /** Null: the issue was closed on the code host. */
    readonly by: string | null;
    readonly at: string;
    /** Fixed in the next release: releases without the fix. */
    readonly not_in?: readonly string[] | undefined;
  } | null | undefined;
  /** What the latest decision about `resolution` does to the issue, and whether it is done. */
  readonly follow_up?: {
    /** Text of the comment, without its trailer. Null: no comment. */
    readonly comment: string | null;
    /** Null: the issue stays as it is. */
    readonly set: 'open' | 'closed' | null;
    readonly number: number;
    readonly by?: string | undefined;
    readonly at: string;
    readonly state: 'pending' | 'done' | 'failed';
    readonly comment_url: string | null;
    readonly done_at: string | null;
    readonly error: {
      readonly code: string;
      readonly detail: string;
      readonly retryable: boolean;
    } | null;
    readonly progress: {
      readonly attempts: number;
      readonly ambiguous: boolean;
      readonly looks: number;
      readonly failures: number;
      readonly not_before: string | null;
    };
  } | null | undefined;
  /** The earlier issue that gets a comment with the link of the new issue of this regression. `change` is set once the run is published. */
  readonly link_back?: {
    readonly issue: {
      readonly repository: string;
      readonly number: number;
      readonly url: string;
    };
    readonly change?: {
      /** Text of the comment, without its trailer. Null: no comment. */
      readonly comment: string | null;
      /** Null: the issue stays as it is. */
      readonly set: 'open' | 'closed' | null;
      readonly number: number;
      readonly by?: string | undefined;
      readonly at: string;
      readonly state: 'pending' | 'done' | 'failed';
      readonly comment_url: string | null;
      readonly done_at: string | null;
      readonly error: {
        readonly code: string;
        readonly detail: string;
        readonly retryable: boolean;
      } | null;
      readonly progress: {
        readonly attempts: number;
        readonly ambiguous: boolean;
        readonly looks: number;
        readonly failures: number;
        readonly not_before: string | null;
      };
    } | undefined;
  } | null | undefined;
  /** To whom reviewers handed the published run, at most once for each target. */
  readonly hand_offs?: readonly {
    readonly to: 'github' | 'webhook';
    readonly by: string;
    readonly at: string;
    /** Of the signed draft. */
    readonly digest: string;
    /** `pending` for long: the process ended meanwhile. Repeat the request. */
    readonly state: 'pending' | 'done' | 'failed';
    readonly error: {
      readonly code: string;
      readonly detail: string;
      readonly retryable: boolean;
    } | null;
  }[] | undefined;
  /** The run that counts its crashes. Absent or null: none. */
  readonly merged_into?: string | null | undefined;
  /** This run, then the runs merged into it, with what each has counted. Absent: none. */
  readonly members?: readonly {
    readonly run_id: string;
    readonly fingerprint: string;
    readonly generation: number;
    readonly into: string | null;
    readonly occurrences: number;
    readonly first_seen: string;
    readonly last_seen: string;
    readonly first_crash_at?: string | undefined;
    readonly releases: readonly string[];
    readonly environments: readonly string[];
    readonly doors: readonly ('webhook' | 'native' | 'sdk' | 'embedded')[];
    readonly sources?: readonly {
      readonly door: 'webhook' | 'native' | 'sdk' | 'embedded';
      readonly trust: 'trusted' | 'untrusted';
      readonly occurrences: number;
      readonly trackers?: readonly string[] | undefined;
      readonly first_seen: string;
      readonly last_seen: string;
      readonly event_id: string | null;
    }[] | undefined;
  }[] | undefined;
  readonly last_error: {
    readonly code: string;
    readonly detail: string;
    readonly retryable: boolean;
  } | null;
  /** The latest run that is a regression of this one. Absent: none is known. */
  readonly came_back_as?: string | undefined;
  /** The return of its draft to Gate 1, until Gate 1 is approved again. */
  readonly returned?: {
    readonly at: string;
    readonly by: string;
    readonly reason: string;
  } | null | undefined;
  /** Set in `snoozed`: the state to return to, and what the run waits for. */
  readonly snooze?: {
    readonly from: 'staged_raw' | 'staged_draft';
    readonly by: string;
    readonly at: string;
    readonly until: {
      readonly kind: 'time';
      readonly at: string;
    } | {
      readonly kind: 'crashes';
      readonly more: number;
    } | {
      readonly kind: 'release';
    };
    /** For `crashes`: how many are left. */
    readonly left?: number | undefined;
  } | null | undefined;
  /** Why the run is back from a snooze that ended by itself, until the next decision. */
  readonly woken?: {
    readonly at: string;
    readonly why: 'time' | 'crashes' | 'release' | 'trusted_crash';
    readonly crashes?: number | undefined;
    readonly release?: string | undefined;
  } | null | undefined;
  /** The reviewer who looks at the run. It is over from `until` on. */
  readonly claim?: {
    readonly by: string;
    readonly at: string;
    readonly until: string;
  } | null | undefined;
  /** Number of comments; the history has them. */
  readonly comments?: number | undefined;
  /** How many versions changed only the claim or the comments. */
  readonly remarks?: number | undefined;
  readonly generation: number;
  readonly cycle: number;
  readonly version: number;
  readonly updated_at: string;
  readonly event: Event;
  readonly suspects: readonly Suspect[];
  /** The release that crashed first, and its deploy. Absent or null: unknown. */
  readonly release_window?: {
    readonly version: string;
    /** How many commits it brought. `null`: unknown. */
    readonly commits: number | null;
    /** It brought more than that. */
    readonly more_commits: boolean;
    /** The last deploy before the first crash. `null`: none, or it is more than a week ago. */
    readonly deploy: {
      readonly environment: string;
      readonly at: string;
      /** Milliseconds from the deploy to the first crash. */
      readonly after_ms: number;
    } | null;
  } | null | undefined;
  /** Who owns the files, by the repository’s code owners file. Absent or null: nobody knows. */
  readonly ownership?: {
    /** Path of the code owners file. */
    readonly file: string;
    readonly dialect: 'github' | 'gitlab';
    /** The crashed file first, then those of the suspects’ changes. */
    readonly files: readonly {
      readonly path: string;
      /** The lines that decide; more than one only with GitLab’s sections. Empty: none does. */
      readonly rules: readonly {
        readonly line: number;
        readonly pattern: string;
        /** GitLab’s section. */
        readonly section: string | null;
        /** Empty: the line takes the owners away. */
        readonly owners: readonly {
          readonly kind: 'user' | 'team' | 'role' | 'email';
          readonly name: string;
        }[];
        readonly url: string | null;
      }[];
    }[];
    /** The first lines that are ignored. */
    readonly problems: readonly {
      readonly line: number;
      readonly code: 'negation' | 'escaped_hash' | 'range' | 'invalid_pattern' | 'invalid_owner' | 'no_owner' | 'invalid_section';
    }[];
    /** Why the file is not used. */
    readonly unread: 'too_large' | 'too_complex' | null;
  } | null | undefined;
  readonly explanation: {
    readonly source: 'template' | 'model';
    readonly model: string | null;
    readonly claims: readonly {
      readonly text: string;
      readonly cites: readonly {
        readonly evidence: string;
        readonly quote: string;
      }[];
    }[];
    readonly insufficient: boolean;
    readonly note: string | null;
  } | null;
  readonly draft: Draft | null;
}

/** A run as lists have it. */
export interface RunSummary {
  readonly run_id: string;
  readonly project: string;
  readonly state: 'staged_raw' | 'analyzing' | 'staged_draft' | 'publishing' | 'published' | 'rejected' | 'snoozed' | 'merged';
  readonly title: string;
  readonly fingerprint: {
    readonly version: string;
    readonly hash: string;
    readonly parts: readonly string[];
  };
  readonly level: 'fatal' | 'error' | 'warning' | 'info' | 'debug';
  readonly platform: string;
  readonly occurrences: number;
  /** Distinct users of the crashes with a user, of the trusted ones if there are any. `more`: over 1,000. Absent: not counted yet. */
  readonly users?: {
    readonly count: number;
    readonly more: boolean;
  } | undefined;
  /** Receipt of the first crash; of the first trusted one if there is any. */
  readonly first_seen: string;
  /** Receipt of the latest crash; of the latest trusted one if there is any. */
  readonly last_seen: string;
  /** When the first crash happened, by a trusted sender’s clock or else by its receipt. */
  readonly first_crash_at?: string | undefined;
  readonly releases: readonly string[];
  readonly environments: readonly string[];
  /** Where the shown crash was thrown. Absent without a stack, and in runs of older versions. */
  readonly place?: {
    readonly function: string | null;
    readonly file: string | null;
    readonly line: number | null;
  } | undefined;
  readonly doors: readonly ('webhook' | 'native' | 'sdk' | 'embedded')[];
  /** How the crashes were received. Absent for runs of older versions. */
  readonly sources?: readonly {
    readonly door: 'webhook' | 'native' | 'sdk' | 'embedded';
    readonly trust: 'trusted' | 'untrusted';
    readonly occurrences: number;
    readonly trackers?: readonly string[] | undefined;
    readonly first_seen: string;
    readonly last_seen: string;
    readonly event_id: string | null;
  }[] | undefined;
  readonly revision: {
    readonly sha: string;
    readonly how: 'explicit' | 'release' | 'tag' | 'date' | 'head';
    /** What the repository does not show there. Absent: nothing is known to be missing. */
    readonly gaps?: readonly ({
      readonly code: 'shallow';
      /** Before this time the history is incomplete. */
      readonly since: string;
      readonly detail: string;
      /** What closes the gap, run in the clone. */
      readonly command: string | null;
    } | {
      readonly code: 'missing_content' | 'files_not_listed';
      readonly detail: string;
      /** What closes the gap, run in the clone. */
      readonly command: string | null;
    } | {
      readonly code: 'replaced';
      readonly commits: number;
      readonly detail: string;
      /** What closes the gap, run in the clone. */
      readonly command: string | null;
    } | {
      readonly code: 'submodule';
      readonly path: string;
      readonly detail: string;
      /** What closes the gap, run in the clone. */
      readonly command: string | null;
    } | {
      readonly code: 'revision_missing';
      readonly named: string;
      readonly detail: string;
      /** What closes the gap, run in the clone. */
      readonly command: string | null;
    })[] | undefined;
  } | null;
  readonly no_suspect: {
    readonly code: 'no_frames' | 'no_code_host' | 'no_revision' | 'foreign_revision' | 'no_mapped_frame' | 'in_submodule' | 'blame_failed' | 'history_ends' | 'commit_replaced' | 'no_candidates';
    readonly detail: string;
    /** For `history_ends` and `commit_replaced`: the commit that blame leads to. */
    readonly end?: {
      readonly sha: string;
      readonly committed_at: string;
    } | undefined;
  } | null;
  readonly publication: {
    readonly issue_url: string;
    readonly number: number;
    readonly comment_url?: string | undefined;
    readonly published_at: string;
    readonly digest: string;
    readonly divergence: readonly string[];
  } | null;
  readonly regression_of: string | null;
  /** The reviewer who approved Gate 1 in this cycle. Absent in runs that an older version analysed. */
  readonly approved_by?: string | null | undefined;
  /** What closed the issue, while it is closed as completed, and the releases without it that crashed since. */
  readonly fix?: {
    readonly commit: string;
    readonly pull_request: {
      readonly number: number;
      readonly url: string;
    } | null;
    readonly missing_in: readonly string[];
    readonly occurrences: number;
  } | null | undefined;
  /** Set on a published run that is over: its next crash is a regression. */
  readonly resolution?: {
    readonly as: 'fixed' | 'not_planned' | 'duplicate';
    /** Null: the issue was closed on the code host. */
    readonly by: string | null;
    readonly at: string;
    /** Fixed in the next release: releases without the fix. */
    readonly not_in?: readonly string[] | undefined;
  } | null | undefined;
  /** What the latest decision about `resolution` does to the issue, and whether it is done. */
  readonly follow_up?: {
    /** Text of the comment, without its trailer. Null: no comment. */
    readonly comment: string | null;
    /** Null: the issue stays as it is. */
    readonly set: 'open' | 'closed' | null;
    readonly number: number;
    readonly by?: string | undefined;
    readonly at: string;
    readonly state: 'pending' | 'done' | 'failed';
    readonly comment_url: string | null;
    readonly done_at: string | null;
    readonly error: {
      readonly code: string;
      readonly detail: string;
      readonly retryable: boolean;
    } | null;
    readonly progress: {
      readonly attempts: number;
      readonly ambiguous: boolean;
      readonly looks: number;
      readonly failures: number;
      readonly not_before: string | null;
    };
  } | null | undefined;
  /** The earlier issue that gets a comment with the link of the new issue of this regression. `change` is set once the run is published. */
  readonly link_back?: {
    readonly issue: {
      readonly repository: string;
      readonly number: number;
      readonly url: string;
    };
    readonly change?: {
      /** Text of the comment, without its trailer. Null: no comment. */
      readonly comment: string | null;
      /** Null: the issue stays as it is. */
      readonly set: 'open' | 'closed' | null;
      readonly number: number;
      readonly by?: string | undefined;
      readonly at: string;
      readonly state: 'pending' | 'done' | 'failed';
      readonly comment_url: string | null;
      readonly done_at: string | null;
      readonly error: {
        readonly code: string;
        readonly detail: string;
        readonly retryable: boolean;
      } | null;
      readonly progress: {
        readonly attempts: number;
        readonly ambiguous: boolean;
        readonly looks: number;
        readonly failures: number;
        readonly not_before: string | null;
      };
    } | undefined;
  } | null | undefined;
  /** To whom reviewers handed the published run, at most once for each target. */
  readonly hand_offs?: readonly {
    readonly to: 'github' | 'webhook';
    readonly by: string;
    readonly at: string;
    /** Of the signed draft. */
    readonly digest: string;
    /** `pending` for long: the process ended meanwhile. Repeat the request. */
    readonly state: 'pending' | 'done' | 'failed';
    readonly error: {
      readonly code: string;
      readonly detail: string;
      readonly retryable: boolean;
    } | null;
  }[] | undefined;
  /** The run that counts its crashes. Absent or null: none. */
  readonly merged_into?: string | null | undefined;
  /** This run, then the runs merged into it, with what each has counted. Absent: none. */
  readonly members?: readonly {
    readonly run_id: string;
    readonly fingerprint: string;
    readonly generation: number;
    readonly into: string | null;
    readonly occurrences: number;
    readonly first_seen: string;
    readonly last_seen: string;
    readonly first_crash_at?: string | undefined;
    readonly releases: readonly string[];
    readonly environments: readonly string[];
    readonly doors: readonly ('webhook' | 'native' | 'sdk' | 'embedded')[];
    readonly sources?: readonly {
      readonly door: 'webhook' | 'native' | 'sdk' | 'embedded';
      readonly trust: 'trusted' | 'untrusted';
      readonly occurrences: number;
      readonly trackers?: readonly string[] | undefined;
      readonly first_seen: string;
      readonly last_seen: string;
      readonly event_id: string | null;
    }[] | undefined;
  }[] | undefined;
  readonly last_error: {
    readonly code: string;
    readonly detail: string;
    readonly retryable: boolean;
  } | null;
  /** The latest run that is a regression of this one. Absent: none is known. */
  readonly came_back_as?: string | undefined;
  /** The return of its draft to Gate 1, until Gate 1 is approved again. */
  readonly returned?: {
    readonly at: string;
    readonly by: string;
    readonly reason: string;
  } | null | undefined;
  /** Set in `snoozed`: the state to return to, and what the run waits for. */
  readonly snooze?: {
    readonly from: 'staged_raw' | 'staged_draft';
    readonly by: string;
    readonly at: string;
    readonly until: {
      readonly kind: 'time';
      readonly at: string;
    } | {
      readonly kind: 'crashes';
      readonly more: number;
    } | {
      readonly kind: 'release';
    };
    /** For `crashes`: how many are left. */
    readonly left?: number | undefined;
  } | null | undefined;
  /** Why the run is back from a snooze that ended by itself, until the next decision. */
  readonly woken?: {
    readonly at: string;
    readonly why: 'time' | 'crashes' | 'release' | 'trusted_crash';
    readonly crashes?: number | undefined;
    readonly release?: string | undefined;
  } | null | undefined;
  /** The reviewer who looks at the run. It is over from `until` on. */
  readonly claim?: {
    readonly by: string;
    readonly at: string;
    readonly until: string;
  } | null | undefined;
  /** Number of comments; the history has them. */
  readonly comments?: number | undefined;
  /** How many versions changed only the claim or the comments. */
  readonly remarks?: number | undefined;
  readonly generation: number;
  readonly cycle: number;
  readonly version: number;
  readonly updated_at: string;
  readonly suspects: readonly {
    readonly sha: string;
    readonly title: string;
    readonly probability: number;
    readonly verdict: 'auto' | 'likely' | 'recent';
    readonly author: {
      readonly name: string;
      /** On the code host. Absent: unknown. */
      readonly account?: string | undefined;
    };
  }[];
  readonly draft: {
    /** SHA-256 of the canonical form; the ETag. */
    readonly digest: string;
    readonly title: string;
    readonly edited_by: string | null;
  } | null;
}

/** A page of runs. */
export interface RunPage {
  readonly runs: readonly RunSummary[];
  readonly next: string | null;
  /** Of a search: how many runs match. `null`: unknown. */
  readonly total?: number | null | undefined;
  /** Some runs of an older version are not indexed yet; the search does not find them. */
  readonly indexing?: boolean | undefined;
}

/** Crashes of a run in each of the last 24 hours. */
export interface RunActivity {
  /** Occurrences of the run when `hours` was last updated. */
  readonly total: number;
  /** Crashes in each of the last 24 hours, oldest first; the current hour is last. */
  readonly hours: readonly number[];
}

/** A commit that may have caused the crash. */
export interface Suspect {
  readonly sha: string;
  readonly author: {
    readonly name: string;
    /** On the code host. Absent: unknown. */
    readonly account?: string | undefined;
  };
  readonly committed_at: string;
  readonly title: string;
  readonly url: string | null;
  readonly score: number;
  readonly components: {
    readonly [name: string]: number;
  };
  readonly probability: number;
  readonly verdict: 'auto' | 'likely' | 'recent';
  /** Why the probability was not measured where it was computed: do not show it. */
  readonly unrated?: {
    readonly code: 'old_change';
    readonly days: number;
  } | {
    readonly code: 'few_commits';
    readonly commits: number;
  } | {
    readonly code: 'shallow' | 'revision_missing';
  } | undefined;
  readonly reasons: readonly ({
    readonly code: 'last_changed_line';
    readonly path: string;
    readonly line: number;
    readonly role: 'crashed' | 'stack' | 'cause_thrown' | 'cause_stack';
    /** Safe Markdown that reads on from "This commit". */
    readonly text: string;
  } | {
    readonly code: 'changed_nearby';
    readonly path: string;
    readonly line: number;
    readonly role: 'crashed' | 'stack' | 'cause_thrown' | 'cause_stack';
    readonly distance: number;
    /** Safe Markdown that reads on from "This commit". */
    readonly text: string;
  } | {
    readonly code: 'before_formatting';
    readonly sha: string;
    /** Safe Markdown that reads on from "This commit". */
    readonly text: string;
  } | {
    readonly code: 'moved_from';
    readonly from: string;
    readonly to: string;
    /** The commit that renamed the file; `null`: unknown. */
    readonly by: string | null;
    /** Safe Markdown that reads on from "This commit". */
    readonly text: string;
  } | {
    readonly code: 'reader';
    readonly quote: string;
    readonly place: number;
    /** Safe Markdown that reads on from "This commit". */
    readonly text: string;
  } | {
    readonly code: 'age';
    readonly days: number;
    /** Safe Markdown that reads on from "This commit". */
    readonly text: string;
  } | {
    readonly code: 'signature_changed' | 'definition_removed' | 'guard_removed' | 'error_raised' | 'condition_changed' | 'value_changed' | 'callee_changed' | 'import_changed' | 'diff_mentions' | 'message_mentions';
    readonly words: readonly string[];
    /** Safe Markdown that reads on from "This commit". */
    readonly text: string;
  } | {
    readonly code: 'in_release';
    readonly release: string;
    /** How many commits the release brought. `null`: more than are recorded. */
    readonly commits: number | null;
    /** Safe Markdown that reads on from "This commit". */
    readonly text: string;
  } | {
    readonly code: 'reverts_change' | 'in_first_release' | 'latest_in_file' | 'recent_in_file' | 'touches_file' | 'touches_directory' | 'text_only';
    /** Safe Markdown that reads on from "This commit". */
    readonly text: string;
  })[];
  readonly frames: readonly number[];
  readonly hunk: {
    readonly path: string;
    readonly header: string;
    readonly lines: readonly {
      readonly kind: 'context' | 'added' | 'removed';
      readonly text: string;
      readonly line: number | null;
      readonly crashed: boolean;
    }[];
  } | null;
  readonly pull_request: {
    readonly number: number;
    readonly url: string;
    readonly title: string;
  } | null;
}

/** One normalised crash. */
export interface Event {
  readonly event_id: string;
  readonly project: string;
  readonly door: 'webhook' | 'native' | 'sdk' | 'embedded';
  readonly tracker?: string | undefined;
  readonly trust?: 'trusted' | 'untrusted' | undefined;
  readonly timestamp: string;
  readonly received_at: string;
  readonly level: 'fatal' | 'error' | 'warning' | 'info' | 'debug';
  readonly platform: string;
  readonly message: string | null;
  readonly message_template: string | null;
  readonly exceptions: readonly {
    readonly type: string | null;
    readonly value: string | null;
    readonly module: string | null;
    readonly handled: boolean | null;
    readonly synthetic: boolean;
    readonly mechanism: JsonObject | null;
    /** Oldest first: the last frame threw. */
    readonly frames: readonly {
      readonly file: string | null;
      readonly abs_path: string | null;
      readonly module: string | null;
      readonly package: string | null;
      readonly function: string | null;
      readonly line: number | null;
      readonly column: number | null;
      readonly in_app: boolean | null;
      readonly platform: string | null;
      readonly context_line: string | null;
      readonly pre_context: readonly string[];
      readonly post_context: readonly string[];
      readonly vars: JsonObject | null;
      readonly instruction_addr: string | null;
      readonly debug_id?: string | undefined;
    }[];
  }[];
  readonly release: string | null;
  readonly dist: string | null;
  readonly environment: string | null;
  readonly commit: string | null;
  readonly server_name: string | null;
  readonly transaction: string | null;
  readonly logger: string | null;
  readonly tags: {
    readonly [name: string]: string;
  };
  readonly user: JsonObject | null;
  readonly request: JsonObject | null;
  readonly contexts: JsonObject;
  readonly breadcrumbs: readonly JsonObject[];
  readonly extra: JsonObject;
  readonly modules: {
    readonly [name: string]: string;
  };
  readonly fingerprint: readonly string[] | null;
  readonly sdk: {
    readonly name: string;
    readonly version: string;
  } | null;
  readonly attachments: readonly {
    readonly name: string;
    readonly bytes: number;
  }[];
  readonly trimmed: readonly string[];
  readonly redactions: number;
  readonly raw_sha256: string | null;
}

/** Any JSON value. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** Any JSON object. */
export interface JsonObject {
  readonly [name: string]: JsonValue | undefined;
}

/** The issue as it will be published. */
export interface Draft {
  readonly title: string;
  readonly body: string;
  readonly labels: readonly string[];
  readonly assignees: readonly string[];
  readonly repository: string;
  /** The body becomes a comment on this issue, which is then opened. Absent: a new issue. */
  readonly reopens?: {
    readonly number: number;
    readonly url: string;
    /** The issue is not opened. Absent: it is. */
    readonly only_comment?: true | undefined;
  } | undefined;
  /** SHA-256 of the canonical form; the ETag. */
  readonly digest: string;
  readonly edited_by: string | null;
  readonly trust?: 'trusted' | 'untrusted' | undefined;
}

/** What a reviewer changed in the generated draft. */
export interface DraftDifference {
  readonly same: boolean;
  readonly machine: {
    readonly digest: string;
    readonly title: string;
  };
  readonly current: {
    readonly digest: string;
    readonly title: string;
    readonly edited_by: string | null;
  };
  readonly labels: {
    readonly added: readonly string[];
    readonly removed: readonly string[];
  };
  readonly assignees: {
    readonly added: readonly string[];
    readonly removed: readonly string[];
  };
  readonly body: string;
}

/** A decision or a step in the history of a run. */
export interface HistoryEntry {
  readonly sequence: number;
  readonly at: string;
  readonly kind: 'decision' | 'step';
  readonly name: string;
  readonly by: string | null;
  readonly via: 'api' | 'board' | 'chat' | 'engine';
  readonly from: 'staged_raw' | 'analyzing' | 'staged_draft' | 'publishing' | 'published' | 'rejected' | 'snoozed' | 'merged' | null;
  readonly to: 'staged_raw' | 'analyzing' | 'staged_draft' | 'publishing' | 'published' | 'rejected' | 'snoozed' | 'merged' | null;
  readonly digest: string | null;
  readonly ms: number | null;
  readonly error: {
    readonly code: string;
    readonly detail: string;
    readonly retryable: boolean;
  } | null;
  readonly detail: JsonObject;
}

/** The runs of a crash that was published and came back. */
export interface Story {
  readonly chapters: readonly {
    readonly run_id: string;
    readonly state: 'staged_raw' | 'analyzing' | 'staged_draft' | 'publishing' | 'published' | 'rejected' | 'snoozed' | 'merged';
    /** Receipt of the run’s first crash. */
    readonly first_seen: string;
    /** The first release that its crashes named. `null`: none did, or it is no longer stored. */
    readonly release: string | null;
    /** The run that counts its crashes, if it was merged. */
    readonly merged_into: string | null;
    /** `null`: the run was not published. */
    readonly issue: {
      readonly number: number;
      readonly url: string;
      readonly published_at: string;
      /** An earlier run had created the issue, and this one reopened it. */
      readonly reopened: boolean;
    } | null;
    /** How the issue ended, and when Culprit learned it. `null`: not known to be closed. */
    readonly closed: {
      readonly as: 'completed' | 'not_planned' | 'duplicate' | 'deleted' | 'marked_fixed';
      readonly at: string;
    } | null;
    /** What closed the issue. `null`: unknown. */
    readonly fix: {
      readonly commit: string;
      readonly pull_request: {
        readonly number: number;
        readonly url: string;
      } | null;
    } | null;
    /** The first release that contains the fix, by the code host. `null`: unknown. */
    readonly fixed_in: string | null;
  }[];
  /** False: further runs belong to the story, which are no longer stored or beyond its limit. */
  readonly whole: boolean;
}

/** One event counted on a run. */
export interface Occurrence {
  /** 1 for the first occurrence of the run. */
  readonly number: number;
  readonly event_id: string;
  readonly received_at: string;
  /** Like the other texts, cut after 64 characters. */
  readonly release: string | null;
  readonly environment: string | null;
  readonly door: 'webhook' | 'native' | 'sdk' | 'embedded';
  readonly trust: 'trusted' | 'untrusted';
  /** `null` if unknown or redacted. */
  readonly user: string | null;
  /** Its event can be read. */
  readonly stored: boolean;
}

/** A page of the occurrences of a run. */
export interface OccurrencePage {
  /** Latest first. */
  readonly occurrences: readonly Occurrence[];
  /** Numbers of all occurrences whose event is stored, latest first. */
  readonly events: readonly number[];
  /** `cursor` of the next page. */
  readonly next: string | null;
}

/** What the occurrences of a run have in common. */
export interface Statistics {
  /** Occurrences counted here. Those that older versions recorded are missing. */
  readonly occurrences: number;
  /** Crashes by hour of receipt in the last 30 days, oldest first. Hours without a crash are omitted. */
  readonly hours: readonly {
    readonly from: string;
    readonly occurrences: number;
  }[];
  /** By first receipt, at most 50. Of trusted crashes if there are any. */
  readonly releases: readonly {
    readonly name: string;
    readonly first_seen: string;
    readonly last_seen: string;
    readonly occurrences: number;
  }[];
  /** Distinct users that are not redacted; `more` if they are over 1000. */
  readonly users: {
    readonly count: number;
    readonly more: boolean;
  };
  /** At most 40, each with its 12 most frequent values. */
  readonly tags: readonly {
    readonly name: string;
    readonly occurrences: number;
    readonly values: readonly {
      readonly value: string;
      readonly occurrences: number;
    }[];
    readonly other: number;
  }[];
}

/** The frames that an analysis located in the repository. */
export interface PlacedStack {
  /** Index of the exception whose frames these are; null without a stack. */
  readonly exception: number | null;
  readonly frames: readonly {
    /** Index into its frames, oldest first. */
    readonly frame: number;
    readonly path: string;
    readonly line: number;
    /** How it was found: by a code mapping, as the reported path, or as the only path that ends like the reported one. */
    readonly how: 'mapping' | 'exact' | 'suffix';
    readonly url: string | null;
    readonly verified: boolean | null;
    readonly source: {
      readonly from: number;
      readonly lines: readonly string[];
    } | null;
  }[];
  /** The other exceptions with located frames, by index. */
  readonly others?: readonly {
    readonly exception: number;
    readonly frames: readonly {
      /** Index into its frames, oldest first. */
      readonly frame: number;
      readonly path: string;
      readonly line: number;
      /** How it was found: by a code mapping, as the reported path, or as the only path that ends like the reported one. */
      readonly how: 'mapping' | 'exact' | 'suffix';
      readonly url: string | null;
      readonly verified: boolean | null;
      readonly source: {
        readonly from: number;
        readonly lines: readonly string[];
      } | null;
    }[];
  }[] | undefined;
  /** The originals of built frames, from source maps: uploaded ones, and the repository’s. */
  readonly originals?: readonly {
    readonly exception: number;
    readonly frame: number;
    readonly file: string;
    readonly line: number;
    readonly function: string | null;
    readonly source: {
      readonly from: number;
      readonly lines: readonly string[];
    } | null;
  }[] | undefined;
  /** The built files that no source map explains. */
  readonly missing_source_maps?: readonly {
    readonly code: 'no_source_map' | 'other_build' | 'unreadable_source_map';
    readonly file: string;
    readonly release: string | null;
    readonly dist: string | null;
    /** Uploads it. Safe to paste into a shell. */
    readonly command: string;
  }[] | undefined;
  /** Of a run at Gate 1: why no suspect can be found, and what the repository does not show. Absent: nothing stands in the way as far as it is known. */
  readonly outlook?: {
    readonly no_suspect: {
      readonly code: 'no_frames' | 'no_code_host' | 'no_revision' | 'foreign_revision' | 'no_mapped_frame' | 'in_submodule' | 'blame_failed' | 'history_ends' | 'commit_replaced' | 'no_candidates';
      readonly detail: string;
      /** For `history_ends` and `commit_replaced`: the commit that blame leads to. */
      readonly end?: {
        readonly sha: string;
        readonly committed_at: string;
      } | undefined;
    } | null;
    readonly gaps: readonly ({
      readonly code: 'shallow';
      /** Before this time the history is incomplete. */
      readonly since: string;
      readonly detail: string;
      /** What closes the gap, run in the clone. */
      readonly command: string | null;
    } | {
      readonly code: 'missing_content' | 'files_not_listed';
      readonly detail: string;
      /** What closes the gap, run in the clone. */
      readonly command: string | null;
    } | {
      readonly code: 'replaced';
      readonly commits: number;
      readonly detail: string;
      /** What closes the gap, run in the clone. */
      readonly command: string | null;
    } | {
      readonly code: 'submodule';
      readonly path: string;
      readonly detail: string;
      /** What closes the gap, run in the clone. */
      readonly command: string | null;
    } | {
      readonly code: 'revision_missing';
      readonly named: string;
      readonly detail: string;
      /** What closes the gap, run in the clone. */
      readonly command: string | null;
    })[];
  } | undefined;
}

/** Everything that an analysis read. */
export interface Evidence {
  readonly format: 'culprit.evidence/1';
  readonly run_id: string;
  readonly project: string;
  readonly generation: number;
  readonly cycle: number;
  readonly analyzed_at: string;
  readonly versions: {
    readonly [name: string]: string;
  };
  readonly config: JsonObject;
  readonly incident: {
    readonly title: string;
    readonly fingerprint: {
      readonly version: string;
      readonly hash: string;
      readonly parts: readonly string[];
    };
    readonly level: 'fatal' | 'error' | 'warning' | 'info' | 'debug';
    readonly platform: string;
    readonly occurrences: number;
    /** Receipt of the first crash; of the first trusted one if there is any. */
    readonly first_seen: string;
    /** Receipt of the latest crash; of the latest trusted one if there is any. */
    readonly last_seen: string;
    readonly releases: readonly string[];
    readonly environments: readonly string[];
    readonly doors: readonly ('webhook' | 'native' | 'sdk' | 'embedded')[];
    readonly regression_of: string | null;
    /** How the crashes were received. Absent for runs of older versions. */
    readonly sources?: readonly {
      readonly door: 'webhook' | 'native' | 'sdk' | 'embedded';
      readonly trust: 'trusted' | 'untrusted';
      readonly occurrences: number;
      readonly trackers?: readonly string[] | undefined;
      readonly first_seen: string;
      readonly last_seen: string;
      readonly event_id: string | null;
    }[] | undefined;
    /** When the first crash happened, by a trusted sender’s clock or else by its receipt. */
    readonly first_crash_at?: string | undefined;
  };
  readonly event: Event;
  readonly calls: readonly {
    readonly port: 'code_host' | 'explainer' | 'reader' | 'source_maps';
    readonly method: string;
    readonly request: JsonValue;
    readonly answer: JsonValue | null;
    readonly error: {
      readonly code: string;
      readonly detail: string;
      readonly retryable: boolean;
    } | null;
  }[];
  readonly draft: Draft;
}

/** The result of verifying a published issue. */
export interface Proof {
  readonly run_id: string;
  readonly issue_url: string;
  readonly verified: boolean;
  readonly derived_digest: string;
  readonly machine_digest: string;
  readonly signed_digest: string;
  readonly erased_at?: string | undefined;
  /** Who changed the title or the text on the code host last, where it says so. */
  readonly edited?: {
    readonly at: string;
    readonly by: string | null;
  } | undefined;
  readonly steps: readonly {
    readonly name: string;
    readonly ok: boolean;
    readonly detail: string;
  }[];
}

/** What the model and the rules say about a run, both derived again. */
export interface ExplanationComparison {
  readonly template: {
    /** The name of the model, or `template`. */
    readonly by: string;
    /** How long it took. */
    readonly seconds: number;
    readonly claims: readonly {
      readonly text: string;
      readonly cites: readonly {
        readonly evidence: string;
        readonly quote: string;
      }[];
    }[];
    /** Claims that were refused because no quote of theirs is in the evidence; at most 20. */
    readonly refused: readonly {
      readonly text: string;
      readonly why: string;
    }[];
    readonly failed: {
      /** `insufficient`: it says that the evidence does not support an explanation. `no_citation`: every claim was refused. `explainer_failed`: no answer in time, or none of the requested shape. */
      readonly code: 'insufficient' | 'no_citation' | 'explainer_failed';
      readonly detail: string;
    } | null;
  };
  readonly model: {
    /** The name of the model, or `template`. */
    readonly by: string;
    /** How long it took. */
    readonly seconds: number;
    readonly claims: readonly {
      readonly text: string;
      readonly cites: readonly {
        readonly evidence: string;
        readonly quote: string;
      }[];
    }[];
    /** Claims that were refused because no quote of theirs is in the evidence; at most 20. */
    readonly refused: readonly {
      readonly text: string;
      readonly why: string;
    }[];
    readonly failed: {
      /** `insufficient`: it says that the evidence does not support an explanation. `no_citation`: every claim was refused. `explainer_failed`: no answer in time, or none of the requested shape. */
      readonly code: 'insufficient' | 'no_citation' | 'explainer_failed';
      readonly detail: string;
    } | null;
  };
}

/** What is known about the configured model. */
export interface ModelStatus {
  readonly explainer: string;
  /** As it is configured. */
  readonly model: string;
  /** Which version answers, as the model server says; null: unknown. */
  readonly version: string | null;
  /** `probing`: no result yet. `unreachable`: the model server does not answer, and is asked again. `unusable`: it gives no usable answer, so explanations are deterministic. */
  readonly state: 'not_probed' | 'probing' | 'unreachable' | 'unusable' | 'usable';
  /** Why it is unreachable or unusable. */
  readonly reason: string | null;
  /** When it answered a probe last; null: never. */
  readonly probed_at: string | null;
  /** What the probe found about each thing that the model is asked to keep to; empty before. */
  readonly limits: readonly {
    readonly name: 'schema' | 'thoughts' | 'length';
    /** null: the probe could not find out. */
    readonly holds: boolean | null;
    readonly detail: string;
  }[];
}

/** What a decision does to the issue. */
export interface IssueEffect {
  /** Text of the comment, without its trailer. Null: no comment. */
  readonly comment: string | null;
  /** Null: the issue stays as it is. */
  readonly set: 'open' | 'closed' | null;
}

/** What happened in a shift. */
export interface Digest {
  /** ISO 8601. */
  readonly since: string;
  /** ISO 8601. */
  readonly until: string;
  readonly waiting: {
    /** ISO 8601. Waiting runs are counted when the digest is made, not at `until`. */
    readonly at: string;
    readonly gate1: number;
    readonly gate2: number;
    /** At most 5, the one seen first comes first. */
    readonly oldest: readonly {
      readonly run_id: string;
      readonly project: string;
      readonly title: string;
      readonly state: 'staged_raw' | 'analyzing' | 'staged_draft' | 'publishing' | 'published' | 'rejected' | 'snoozed' | 'merged';
      readonly first_seen: string;
    }[];
  };
  readonly gates: {
    readonly gate1: {
      /** Decisions of reviewers that ended a wait at this gate. */
      readonly decisions: number;
      /** Median time from the run’s arrival at the gate to the decision; `null` without a decision. */
      readonly median_wait_ms: number | null;
    };
    readonly gate2: {
      /** Decisions of reviewers that ended a wait at this gate. */
      readonly decisions: number;
      /** Median time from the run’s arrival at the gate to the decision; `null` without a decision. */
      readonly median_wait_ms: number | null;
    };
  };
  /** Everyone who decided something, most decisions first. */
  readonly reviewers: readonly {
    readonly name: string;
    /** By the name of the history entry. Without claims and comments. */
    readonly decisions: {
      readonly [name: string]: number;
    };
  }[];
  readonly new_runs: number;
  readonly failed_analyses: number;
  readonly published: {
    readonly count: number;
    /** The latest 100, latest first. */
    readonly runs: readonly {
      readonly run_id: string;
      readonly project: string;
      readonly title: string;
      /** ISO 8601. */
      readonly at: string;
      readonly number: number;
      readonly issue_url: string;
      readonly reopened: boolean;
    }[];
  };
  readonly rejected: {
    readonly count: number;
    /** The latest 100, latest first. */
    readonly runs: readonly {
      readonly run_id: string;
      readonly project: string;
      readonly title: string;
      /** ISO 8601. */
      readonly at: string;
      readonly by: string | null;
      readonly reason: string | null;
    }[];
  };
  readonly regressions: {
    readonly count: number;
    /** The latest 100, latest first. */
    readonly runs: readonly {
      readonly run_id: string;
      readonly project: string;
      readonly title: string;
      /** ISO 8601. */
      readonly at: string;
      readonly state: 'staged_raw' | 'analyzing' | 'staged_draft' | 'publishing' | 'published' | 'rejected' | 'snoozed' | 'merged';
      readonly regression_of: string;
    }[];
  };
  /** False: more runs changed or wait than one digest reads. The figures cover those with the latest activity. */
  readonly complete: boolean;
}

/** An edge: its guard figures, limits, dead letters and commands. */
export interface Edge {
  readonly edge: string;
  readonly received_at: string;
  readonly figures: JsonObject;
  readonly limits: {
    readonly [name: string]: {
      readonly value: number;
      readonly configured: number;
    };
  };
  /** The newest 100, newest last; `figures.dead_letters` counts all of them. */
  readonly dead_letters: readonly {
    readonly sequence: number;
    readonly at: string;
    readonly event_id: string;
    readonly project: string;
    readonly door: string;
    readonly detail: string;
  }[];
  /** Newest first. */
  readonly commands: readonly EdgeCommand[];
}

/** The figures of an edge in the last hour. */
export interface EdgeHistory {
  readonly edge: string;
  /** Of the last hour, oldest first, about ten seconds apart. */
  readonly points: readonly {
    /** When core received them, in ms since 1970. */
    readonly at: number;
    /** Crashes accepted since the edge started. */
    readonly accepted: number;
    readonly refused: number;
    /** Deliveries in the spool. */
    readonly depth: number;
    /** Age of the oldest delivery in the spool. */
    readonly oldest_ms: number;
  }[];
}

/** A command to an edge, and its result. */
export interface EdgeCommand {
  readonly id: string;
  readonly action: {
    readonly kind: 'resend';
    /** Sequence numbers of dead letters, or `all`. */
    readonly sequences: 'all' | readonly number[];
  } | {
    readonly kind: 'drop';
    /** Sequence numbers of dead letters, or `all`. */
    readonly sequences: 'all' | readonly number[];
  } | {
    /** Sends a test crash to the edge’s own native door. */
    readonly kind: 'test';
  } | {
    readonly kind: 'limits';
    readonly values: {
      readonly [name: string]: number | null;
    };
  };
  readonly by: string;
  readonly at: string;
  readonly status: 'queued' | 'done' | 'failed' | 'expired';
  readonly detail: string | null;
}

/** What a key, a door or a project has used of its quota. */
export interface Quota {
  readonly scope: 'key' | 'door' | 'project';
  readonly project: string;
  readonly door: 'webhook' | 'native' | 'sdk' | 'embedded' | null;
  /** Names the credential, without its secret. */
  readonly key: string | null;
  readonly used: {
    /** Runs started in the current clock hour (UTC). */
    readonly new_runs: number;
    /** Runs that are neither published nor rejected. */
    readonly open_runs: number;
    /** Bytes of stored events, each rounded up to 16 KiB. */
    readonly bytes: number;
  };
  /** `null`: no limits are configured. */
  readonly limits: {
    /** Runs started in the current clock hour (UTC). */
    readonly new_runs: number;
    /** Runs that are neither published nor rejected. */
    readonly open_runs: number;
    /** Bytes of stored events, each rounded up to 16 KiB. */
    readonly bytes: number;
  } | null;
  /** Crashes that started no run because of a quota. */
  readonly refused: number;
}

/** A recorded release with its deploys. */
export interface Release {
  readonly project: string;
  readonly version: string;
  readonly created_at: string;
  readonly started_at: string | null;
  /** `null`: not finalised. */
  readonly finalised_at: string | null;
  readonly url: string | null;
  readonly archived: boolean;
  /** Full SHA. `null`: unknown. */
  readonly commit: string | null;
  /** The commit of the release before. `null`: unknown. */
  readonly previous_commit: string | null;
  /** How many commits it brought. `null`: unknown. */
  readonly commits: number | null;
  /** It brought more than that. */
  readonly more_commits: boolean;
  /** Newest first, at most 50. */
  readonly deploys: readonly Deploy[];
}

/** A release, recorded or named by crashes, with what is counted of it. */
export interface ListedRelease {
  readonly project: string;
  readonly version: string;
  /** When it was recorded; if it was not, receipt of its first crash. */
  readonly at: string;
  /** `null`: not recorded; crashes name it. */
  readonly release: Release | null;
  /** `null`: none of its crashes is counted. */
  readonly counts: {
    readonly version: string;
    readonly first_crash_at: string;
    readonly last_crash_at: string;
    readonly crashes: number;
    readonly new_runs: number;
    readonly regressed_runs: number;
    /** Share of the project’s crashes of the last 60 minutes, 0 to 1. `null`: there were none. */
    readonly hour_share: number | null;
    /** Share of the project’s crashes of the last 24 hours, 0 to 1. `null`: there were none. */
    readonly day_share: number | null;
  } | null;
}

/** A commit that a release brought. */
export interface ReleaseCommit {
  readonly sha: string;
  readonly title: string;
  readonly committed_at: string | null;
}

/** A release that was put into an environment. */
export interface Deploy {
  readonly id: string;
  readonly environment: string;
  readonly name: string | null;
  readonly url: string | null;
  readonly started_at: string | null;
  readonly finished_at: string;
}

/** The reviewer of the credential, and the rules of the gates. */
export interface Session {
  readonly name: string;
  /** ISO 8601, of the session or API token; `null`: it does not expire. */
  readonly expires_at: string | null;
  /** Those that hold in at least one project; `grants` says in which. */
  readonly scopes: readonly ('read' | 'comment' | 'gate1' | 'gate2' | 'operate' | 'release')[];
  /** Those with at least one scope; `null`: all projects. */
  readonly projects: readonly string[] | null;
  /** Which scopes hold in which projects. They add up. */
  readonly grants: readonly {
    readonly scopes: readonly ('read' | 'comment' | 'gate1' | 'gate2' | 'operate' | 'release')[];
    /** `null`: all projects. */
    readonly projects: readonly string[] | null;
  }[];
  /** The name of the API token, if it is one. */
  readonly token?: string | undefined;
  /** Where core keeps its data, and the secrets that it generated. */
  readonly data_directory?: string | undefined;
  /** For people: which keys send crashes of the projects that they may read, and where secrets are. */
  readonly senders?: readonly {
    readonly project: string;
    /** The public key of its DSN; `null`: it has none. */
    readonly key: string | null;
    readonly service_token: {
      /** The setting that the secret belongs to. */
      readonly setting: string;
      /** Where it was generated; `null`: the setting has it. */
      readonly file: string | null;
      /** Those that lead to it in the file. */
      readonly members: readonly string[];
      readonly exists: boolean;
    };
    readonly hook_secret: {
      /** The setting that the secret belongs to. */
      readonly setting: string;
      /** Where it was generated; `null`: the setting has it. */
      readonly file: string | null;
      /** Those that lead to it in the file. */
      readonly members: readonly string[];
      readonly exists: boolean;
    };
  }[] | undefined;
  readonly rules: {
    /** The reviewers who approved Gate 1 and who last edited the draft may not approve Gate 2. */
    readonly second_person: boolean;
    /** Gate 2 requires `If-Match`. */
    readonly bound_approval: boolean;
  };
}

/** An API token, without its secret. */
export interface Token {
  /** Names the token; not a secret. */
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly ('read' | 'comment' | 'gate1' | 'gate2' | 'operate' | 'release')[];
  /** `null`: all projects. */
  readonly projects: readonly string[] | null;
  /** The token acts in the name of this reviewer. */
  readonly made_by: string;
  /** The id of the token that made it, with which it is revoked; `null`: a person made it. */
  readonly made_with: string | null;
  readonly made_at: string;
  /** ISO 8601; `null`: it does not expire. */
  readonly expires_at: string | null;
  /** To the minute; `null`: never. */
  readonly last_used_at: string | null;
}

/** An outgoing webhook, without its secret. */
export interface Webhook {
  readonly name: string;
  /** https, on the public internet unless WEBHOOK_ALLOWED_HOSTS has its host. */
  readonly url: string;
  readonly events: readonly ('run.created' | 'run.regressed' | 'run.state_changed' | 'run.draft_ready' | 'run.analysis_failed' | 'run.returned' | 'run.rejected' | 'run.commented' | 'run.fixed' | 'run.unfixed' | 'run.handed_off' | 'issue.published' | 'issue.publish_failed')[];
  readonly projects: readonly string[];
  readonly levels: readonly ('fatal' | 'error' | 'warning' | 'info' | 'debug')[];
  readonly environments: readonly string[];
  readonly enabled: boolean;
  readonly id: string;
  readonly created_at: string;
  readonly created_by: string;
  /** `gone`: the receiver answered 410. `null`: a reviewer decided about `enabled`. */
  readonly turned_off: 'gone' | null;
  readonly last_success_at: string | null;
  readonly last_failure: {
    readonly at: string;
    readonly code: 'delivered' | 'refused' | 'redirected' | 'gone' | 'timed_out' | 'unreachable' | 'address_refused' | 'no_secret' | 'turned_off' | 'queue_full';
    /** Of the response; `null`: none. */
    readonly status: number | null;
  } | null;
  /** The first failure after the last success. */
  readonly failing_since: string | null;
  /** Deliveries that were given up in the last 14 days; the newest 100 are kept. */
  readonly dead: number;
}

/** A message of the live feed. */
export type LiveMessage = {
  readonly type: 'snapshot';
  /** Version of these messages. */
  readonly version: 1;
  /** Changes when the sequence restarts, with a new or restored store. */
  readonly epoch: string;
  /** Sequence number of the last change included. */
  readonly sequence: number;
  /** Open runs, latest activity first. */
  readonly runs: readonly RunSummary[];
  /** `true` if there are more open runs; page through `GET /api/v1/runs`. */
  readonly more: boolean;
  /** The latest guard figures of every known edge. */
  readonly guard: readonly {
    readonly edge: string;
    readonly received_at: string;
    readonly figures: JsonObject;
  }[];
  /** `true` if core could not resume after `since`. */
  readonly reset: boolean;
} | {
  readonly type: 'run';
  /** The previous sequence number plus one. */
  readonly sequence: number;
  readonly run: RunSummary;
} | {
  readonly type: 'guard';
  /** The latest guard figures of every known edge. */
  readonly guard: readonly {
    readonly edge: string;
    readonly received_at: string;
    readonly figures: JsonObject;
  }[];
} | {
  readonly type: 'progress';
  /** A run that this core analyses now. */
  readonly run_id: string;
  /** First step first: `tree`, `locate`, `blame`, `rank`, `read` if a model reads the suspects, `owners` if the code host knows code owners, `explain`, `compose`. */
  readonly steps: readonly {
    readonly name: string;
    readonly ms: number;
    readonly detail: JsonObject;
    readonly error: {
      readonly code: string;
      readonly detail: string;
      readonly retryable: boolean;
    } | null;
  }[];
} | {
  readonly type: 'beat';
};

/** An error (RFC 9457). `code` is stable, `detail` says what to do. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: 'malformed' | 'invalid_cursor' | 'unauthenticated' | 'forbidden' | 'second_person_required' | 'origin_refused' | 'host_refused' | 'not_found' | 'run_not_found' | 'method_not_allowed' | 'state_conflict' | 'claimed' | 'merge_refused' | 'comments_unconfirmed' | 'hand_off_refused' | 'erasure_running' | 'erasure_changed' | 'version_conflict' | 'idempotency_in_progress' | 'idempotency_mismatch' | 'draft_changed' | 'too_large' | 'unsupported_encoding' | 'precondition_required' | 'rate_limited' | 'internal' | 'timed_out' | 'overloaded' | 'storage_unavailable' | 'code_host_unavailable' | 'code_host_forbidden' | 'repository_not_found' | 'revision_not_found' | 'revision_foreign' | 'explainer_failed' | 'publish_refused' | 'reopen_refused' | 'publish_wait' | 'publish_ambiguous' | 'notifier_failed' | 'no_publisher' | 'no_model' | 'model_busy' | 'configuration' | 'connector_missing' | 'closed';
  readonly detail: string;
  /** The invalid member. */
  readonly path?: string | undefined;
  /** With state_conflict: the current state of the run. */
  readonly state?: string | undefined;
  /** With forbidden: the missing scope. */
  readonly scope?: string | undefined;
  /** With draft_changed: the current digest. */
  readonly digest?: string | undefined;
  /** The limit: of bytes with too_large, else its name. */
  readonly limit?: number | string | undefined;
  /** With merge_refused: the code of the reason. */
  readonly reason?: string | undefined;
  /** The later run of the crash. */
  readonly latest?: string | undefined;
  /** With claimed: who looks at the run. */
  readonly claim?: {
    readonly by: string;
    readonly at: string;
    readonly until: string;
  } | undefined;
  /** With comments_unconfirmed: what the coding agent reads besides the signed text; the latest 20. `digest` confirms all. */
  readonly comments?: {
    readonly digest: string;
    readonly count: number;
    readonly entries: readonly {
      readonly url: string;
      readonly by: string;
      readonly at: string;
    }[];
  } | undefined;
  /** With second_person_required: who approved Gate 1. */
  readonly opened_by?: string | undefined;
  /** With second_person_required: who edited the draft last. */
  readonly edited_by?: string | undefined;
}

/** What each operation of core's API takes and answers, by its `operationId`. */
export interface Operations {
  /** Approve Gate 1: analyse the run */
  readonly approveGateOne: {
    readonly path: {
      /** The id of the run */
      readonly run_id: string;
    };
    readonly body?: Record<string, never>;
    readonly answers: {
      readonly 200: {
        readonly status: 'analyzed';
        readonly state: 'staged_draft';
      };
      readonly 202: Run;
    };
  };
  /** Approve Gate 2: sign and publish the draft */
  readonly approveGateTwo: {
    readonly path: {
      /** The id of the run */
      readonly run_id: string;
    };
    readonly body?: Record<string, never>;
    readonly answers: {
      readonly 200: {
        readonly status: 'published';
        readonly issue_url: string;
      };
      readonly 202: {
        readonly status: 'publishing';
        readonly state: 'publishing';
      } | Run;
    };
  };
  /** Claim a run: tell other reviewers that you look at it */
  readonly claimRun: {
    readonly path: {
      /** The id of the run */
      readonly run_id: string;
    };
    readonly body?: {
      /** Also if another reviewer has claimed the run. Default false. */
      readonly take_over?: boolean | undefined;
    };
    readonly answers: {
      readonly 200: Run;
    };
  };
  /** Command an edge to resend or drop dead letters, to change limits, or to send a test crash */
  readonly commandEdge: {
    readonly path: {
      /** The name of the edge */
      readonly edge: string;
    };
    readonly body: {
      readonly kind: 'resend';
      /** Sequence numbers of dead letters, or `all`. */
      readonly sequences: 'all' | readonly number[];
    } | {
      readonly kind: 'drop';
      /** Sequence numbers of dead letters, or `all`. */
      readonly sequences: 'all' | readonly number[];
    } | {
      /** Sends a test crash to the edge’s own native door. */
      readonly kind: 'test';
    } | {
      readonly kind: 'limits';
      readonly values: {
        readonly [name: string]: number | null;
      };
    };
    readonly answers: {
      readonly 202: EdgeCommand;
    };
  };
  /** Comment on a run. The history has the comments, and chat; the issue never has them */
  readonly commentOnRun: {
    readonly path: {
      /** The id of the run */
      readonly run_id: string;
    };
    readonly body: {
      /** Stored in the history; at most 2,000 characters. */
      readonly comment: string;
    };
    readonly answers: {
      readonly 200: Run;
    };
  };
  /** Ask the model about an analysed run now, and derive its explanation by rules again. Changes nothing */
  readonly compareExplanations: {
    readonly path: {
      /** The id of the run */
      readonly run_id: string;
    };
    readonly body?: Record<string, never>;
    readonly answers: {
      readonly 200: ExplanationComparison;
    };
  };
  /** Count what erasing a person would erase, in the background. Changes nothing */
  readonly countErasure: {
    readonly body: {
      /** A user id, e-mail address or name. Found as a whole word, in any case. */
      readonly person: string;
    };
    readonly answers: {
      readonly 202: {
        readonly erasure_id: string;
        /** `counted`: to be confirmed. `changed`: counted again before erasing, which found something else; nothing was erased, and the new digest is to be confirmed. `failed`: see `error`. */
        readonly state: 'counting' | 'counted' | 'checking' | 'changed' | 'erasing' | 'done' | 'failed';
        /** Who counted, or confirmed. */
        readonly by: string;
        readonly started_at: string;
        readonly ended_at: string | null;
        /** Runs that this pass has looked at. */
        readonly looked_at: number;
        /** Approximate number of runs. */
        readonly runs: number;
        /** Counted so far, or erased so far. */
        readonly found: {
          /** Runs that name the person anywhere. */
          readonly runs: number;
          /** Stored crashes that name the person. */
          readonly events: number;
          /** Texts that name the person, in all of these runs. */
          readonly fields: number;
          /** Analyses whose evidence names the person. */
          readonly evidence: number;
          /** Drafts, with their suspects and explanations. */
          readonly drafts: number;
          /** History entries: decisions of the person, and reasons and comments that name them. */
          readonly history: number;
          /** Other stored values, such as saved views, proposals, releases and deliveries of webhooks. */
          readonly values: number;
          /** API tokens that the person made. They end. */
          readonly tokens: number;
          /** Sessions of the person. They end. */
          readonly sessions: number;
          /** Published issues that name the person, which stay as they are. At most 1,000. */
          readonly issues: readonly string[];
        };
        /** Confirms what was counted; `null` unless something is to be confirmed. */
        readonly digest: string | null;
        /** A code of the error catalogue. */
        readonly error: string | null;
      };
    };
  };
  /** Make a webhook. Events from now on are sent to it */
  readonly createWebhook: {
    readonly body: {
      readonly name: string;
      /** https, on the public internet unless WEBHOOK_ALLOWED_HOSTS has its host. */
      readonly url: string;
      readonly events: readonly ('run.created' | 'run.regressed' | 'run.state_changed' | 'run.draft_ready' | 'run.analysis_failed' | 'run.returned' | 'run.rejected' | 'run.commented' | 'run.fixed' | 'run.unfixed' | 'run.handed_off' | 'issue.published' | 'issue.publish_failed')[];
      /** Only runs of these projects; empty: all. */
      readonly projects?: readonly string[] | undefined;
      /** Only runs of these levels; empty: all. */
      readonly levels?: readonly ('fatal' | 'error' | 'warning' | 'info' | 'debug')[] | undefined;
      /** Only runs that crashed in one of these; empty: all. */
      readonly environments?: readonly string[] | undefined;
      readonly enabled?: boolean | undefined;
    };
    readonly answers: {
      readonly 201: {
        readonly webhook: Webhook;
        /** `whsec_…`. It is not shown again. */
        readonly secret: string;
      };
    };
  };
  /** Forget a recorded release. What is counted of its crashes stays */
  readonly deleteRelease: {
    readonly path: {
      /** The name of the project */
      readonly project: string;
      /** The release as crashes name it, percent-encoded */
      readonly version: string;
    };
    readonly answers: {
      readonly 204: undefined;
    };
  };
  /** Delete an upload of source maps */
  readonly deleteSourceMaps: {
    readonly path: {
      /** The id in the list */
      readonly id: string;
    };
    readonly answers: {
      readonly 204: undefined;
    };
  };
  /** Delete a saved view */
  readonly deleteView: {
    readonly query: {
      /** The name of the view; an unknown one changes nothing */
      readonly name: string;
    };
    readonly answers: {
      readonly 200: {
        readonly views: readonly {
          readonly name: string;
          /** The query string of the board’s address, such as `?state=gate2&search=level%3Afatal`. */
          readonly address: string;
        }[];
      };
    };
  };
  /** Delete a webhook, its secrets and its deliveries */
  readonly deleteWebhook: {
    readonly path: {
      /** The id of the webhook */
      readonly webhook_id: string;
    };
    readonly answers: {
      readonly 204: undefined;
    };
  };
  /** Dismiss a proposed change of the draft */
  readonly dismissProposal: {
    readonly path: {
      /** The id of the run */
      readonly run_id: string;
      /** The id of the proposal */
      readonly proposal_id: string;
    };
    readonly answers: {
      readonly 204: undefined;
    };
  };
  /** Edit the draft; the response contains the new digest */
  readonly editDraft: {
    readonly path: {
      /** The id of the run */
      readonly run_id: string;
    };
    readonly body: {
      readonly title: string;
      readonly body: string;
      readonly labels?: readonly string[] | undefined;
      readonly assignees?: readonly string[] | undefined;
      readonly repository?: string | undefined;
      readonly digest?: string | undefined;
      readonly edited_by?: string | null | undefined;
      readonly reopens?: unknown | undefined;
      readonly trust?: string | undefined;
    };
    readonly answers: {
      readonly 200: Draft;
    };
  };
  /** End a session of yours, or with the scope `operate` of anybody, and its live feeds */
  readonly endSession: {
    readonly path: {
      /** The id of the session in the list */
      readonly session_id: string;
    };
    readonly answers: {
      readonly 204: undefined;
    };
  };
  /** Erase what was counted, for good, in the background. Counts again first: if that finds something else, nothing is erased */
  readonly erasePerson: {
    readonly path: {
      /** The id of the erasure */
      readonly erasure_id: string;
    };
    readonly body: {
      /** The same as was counted. */
      readonly person: string;
      readonly digest: string;
    };
    readonly answers: {
      readonly 202: {
        readonly erasure_id: string;
        /** `counted`: to be confirmed. `changed`: counted again before erasing, which found something else; nothing was erased, and the new digest is to be confirmed. `failed`: see `error`. */
        readonly state: 'counting' | 'counted' | 'checking' | 'changed' | 'erasing' | 'done' | 'failed';
        /** Who counted, or confirmed. */
        readonly by: string;
        readonly started_at: string;
        readonly ended_at: string | null;
        /** Runs that this pass has looked at. */
        readonly looked_at: number;
        /** Approximate number of runs. */
        readonly runs: number;
        /** Counted so far, or erased so far. */
        readonly found: {
          /** Runs that name the person anywhere. */
          readonly runs: number;
          /** Stored crashes that name the person. */
          readonly events: number;
          /** Texts that name the person, in all of these runs. */
          readonly fields: number;
          /** Analyses whose evidence names the person. */
          readonly evidence: number;
          /** Drafts, with their suspects and explanations. */
          readonly drafts: number;
          /** History entries: decisions of the person, and reasons and comments that name them. */
          readonly history: number;
          /** Other stored values, such as saved views, proposals, releases and deliveries of webhooks. */
          readonly values: number;
          /** API tokens that the person made. They end. */
          readonly tokens: number;
          /** Sessions of the person. They end. */
          readonly sessions: number;
          /** Published issues that name the person, which stay as they are. At most 1,000. */
          readonly issues: readonly string[];
        };
        /** Confirms what was counted; `null` unless something is to be confirmed. */
        readonly digest: string | null;
        /** A code of the error catalogue. */
        readonly error: string | null;
      };
    };
  };
  /** Export the histories of a page of runs with their seals, as `culprit audit export` does */
  readonly exportHistories: {
    readonly query?: {
      /** `next` of the previous page of the same query. Default: the first page */
      readonly cursor?: string | undefined;
      /** Runs of one page */
      readonly limit?: number | undefined;
    };
    readonly answers: {
      readonly 200: {
        /** By run, each oldest first, with their seals. */
        readonly entries: readonly {
          readonly run_id: string;
          readonly sequence: number;
          readonly at: string;
          readonly kind: 'decision' | 'step';
          readonly name: string;
          readonly by: string | null;
          readonly via: 'api' | 'board' | 'chat' | 'engine';
          readonly from: 'staged_raw' | 'analyzing' | 'staged_draft' | 'publishing' | 'published' | 'rejected' | 'snoozed' | 'merged' | null;
          readonly to: 'staged_raw' | 'analyzing' | 'staged_draft' | 'publishing' | 'published' | 'rejected' | 'snoozed' | 'merged' | null;
          readonly digest: string | null;
          readonly ms: number | null;
          readonly error: {
            readonly code: string;
            readonly detail: string;
            readonly retryable: boolean;
          } | null;
          readonly detail: JsonObject;
          readonly seal?: {
            readonly mac: string;
            readonly salt: string;
            readonly personal: string;
          } | undefined;
        }[];
        readonly next: string | null;
      };
    };
  };
  /** Get crashes per hour of the last 24 hours */
  readonly getActivity: {
    readonly query: {
      /** Run IDs, separated by commas, at most 100 */
      readonly runs: string;
    };
    readonly answers: {
      readonly 200: {
        /** By run ID. */
        readonly runs: {
          readonly [name: string]: RunActivity;
        };
      };
    };
  };
  /** Get the fix brief: one page to start a fix from. Text from outside appears only in code */
  readonly getBrief: {
    readonly path: {
      /** The id of the run */
      readonly run_id: string;
    };
    readonly answers: {
      readonly 200: string;
    };
  };
  /** Get the digest of a shift: what waits, who decided what, published issues and regressions */
  readonly getDigest: {
    readonly query?: {
      /** ISO 8601 with a time zone, at most 31 days before `until`. Default: 12 hours before `until` */
      readonly since?: string | undefined;
      /** ISO 8601 with a time zone, exclusive. Default: now */
      readonly until?: string | undefined;
    };
    readonly answers: {
      readonly 200: Digest;
    };
  };
  /** Get the draft; its ETag is its digest */
  readonly getDraft: {
    readonly path: {
      /** The id of the run */
      readonly run_id: string;
    };
    readonly answers: {
      readonly 200: Draft;
    };
  };
  /** Compare the draft with the generated one */
  readonly getDraftDifference: {
    readonly path: {
      /** The id of the run */
      readonly run_id: string;
    };
    readonly answers: {
      readonly 200: DraftDifference;
    };
  };
  /** Get the figures of every edge in the last hour, since core started */
  readonly getEdgeHistory: {
    readonly answers: {
      readonly 200: {
        readonly edges: readonly EdgeHistory[];
      };
    };
  };
  /** Get an erasure and its progress */
  readonly getErasure: {
    readonly path: {
      /** The id of the erasure */
      readonly erasure_id: string;
    };
    readonly answers: {
      readonly 200: {
        readonly erasure_id: string;
        /** `counted`: to be confirmed. `changed`: counted again before erasing, which found something else; nothing was erased, and the new digest is to be confirmed. `failed`: see `error`. */
        readonly state: 'counting' | 'counted' | 'checking' | 'changed' | 'erasing' | 'done' | 'failed';
        /** Who counted, or confirmed. */
        readonly by: string;
        readonly started_at: string;
        readonly ended_at: string | null;
        /** Runs that this pass has looked at. */
        readonly looked_at: number;
        /** Approximate number of runs. */
        readonly runs: number;
        /** Counted so far, or erased so far. */
        readonly found: {
          /** Runs that name the person anywhere. */
          readonly runs: number;
          /** Stored crashes that name the person. */
          readonly events: number;
          /** Texts that name the person, in all of these runs. */
          readonly fields: number;
          /** Analyses whose evidence names the person. */
          readonly evidence: number;
          /** Drafts, with their suspects and explanations. */
          readonly drafts: number;
          /** History entries: decisions of the person, and reasons and comments that name them. */
          readonly history: number;
          /** Other stored values, such as saved views, proposals, releases and deliveries of webhooks. */
          readonly values: number;
          /** API tokens that the person made. They end. */
          readonly tokens: number;
          /** Sessions of the person. They end. */
          readonly sessions: number;
          /** Published issues that name the person, which stay as they are. At most 1,000. */
          readonly issues: readonly string[];
        };
        /** Confirms what was counted; `null` unless something is to be confirmed. */
        readonly digest: string | null;
        /** A code of the error catalogue. */
        readonly error: string | null;
      };
    };
  };
  /** Get the evidence of the latest analysis; `culprit replay` derives the draft from it */
  readonly getEvidence: {
    readonly path: {
      /** The id of the run */
      readonly run_id: string;
    };
    readonly answers: {
      readonly 200: Evidence;
    };
  };
  /** Check this core’s installation now: machine, settings, storage and every connector. Results are reused for two seconds */
  readonly getHealth: {
    readonly answers: {
      readonly 200: {
        /** The worst of the checks. */
        readonly state: 'ok' | 'degraded' | 'failed';
        readonly checked_at: string;
        /** The worst first. */
        readonly checks: readonly {
          readonly name: string;
          /** `degraded`: Culprit works without it. `failed`: something must be mended. */
          readonly state: 'ok' | 'degraded' | 'failed';
          /** What was found, or what is wrong and what mends it. */
          readonly detail: string;
          /** When this core first found it in this state; `null` while core starts. */
          readonly since: string | null;
        }[];
      };
    };
  };
  /** Get the history: every decision and step, oldest first */
  readonly getHistory: {
    readonly path: {
      /** The id of the run */
      readonly run_id: string;
    };
    readonly query?: {
      /** `next` of the previous page of the same query. Default: the first page */
      readonly cursor?: string | undefined;
      /** Entries of one page. Default: all of them */
      readonly limit?: number | undefined;
    };
    readonly answers: {
      readonly 200: {
        readonly entries: readonly HistoryEntry[];
        readonly next: string | null;
      };
    };
  };
  /** Get what is known about the configured model, without asking it */
  readonly getModel: {
    readonly answers: {
      readonly 200: {
        /** null: no model is configured, and explanations are deterministic. */
        readonly model: ModelStatus | null;
      };
    };
  };
  /** Get one occurrence with its event, if that is stored */
  readonly getOccurrence: {
    readonly path: {
      /** The id of the run */
      readonly run_id: string;
      /** The number of the occurrence, or of the issue */
      readonly number: number;
    };
    readonly answers: {
      readonly 200: {
        readonly occurrence: Occurrence;
        readonly event: Event;
      };
    };
  };
  /** Get a release with its commits and deploys */
  readonly getRelease: {
    readonly path: {
      /** The name of the project */
      readonly project: string;
      /** The release as crashes name it, percent-encoded */
      readonly version: string;
    };
    readonly answers: {
      readonly 200: {
        readonly project: string;
        readonly version: string;
        /** When it was recorded; if it was not, receipt of its first crash. */
        readonly at: string;
        /** `null`: not recorded; crashes name it. */
        readonly release: Release | null;
        /** `null`: none of its crashes is counted. */
        readonly counts: {
          readonly version: string;
          readonly first_crash_at: string;
          readonly last_crash_at: string;
          readonly crashes: number;
          readonly new_runs: number;
          readonly regressed_runs: number;
          /** Share of the project’s crashes of the last 60 minutes, 0 to 1. `null`: there were none. */
          readonly hour_share: number | null;
          /** Share of the project’s crashes of the last 24 hours, 0 to 1. `null`: there were none. */
          readonly day_share: number | null;
        } | null;
        /** Newest first, at most 500. `null`: unknown. */
        readonly commits: readonly ReleaseCommit[] | null;
      };
    };
  };
  /** See what marking a run as fixed would do to its issue, or undoing that */
  readonly getResolutionEffect: {
    readonly path: {
      /** The id of the run */
      readonly run_id: string;
    };
    readonly query?: {
      /** As in the body of `POST` */
      readonly commit?: string | undefined;
      /** As in the body of `POST` */
      readonly next_release?: boolean | undefined;
    };
    readonly answers: {
      readonly 200: IssueEffect;
    };
  };
  /** Get a run */
  readonly getRun: {
    readonly path: {
      /** The id of the run */
      readonly run_id: string;
    };
    readonly answers: {
      readonly 200: Run;
    };
  };
  /** Get the current reviewer, the credential’s scopes and expiry and the rules of the gates */
  readonly getSession: {
    readonly answers: {
      readonly 200: Session;
    };
  };
  /** Get how people can sign in besides with a token */
  readonly getSignInOptions: {
    readonly answers: {
      readonly 200: {
        readonly provider: {
          readonly name: string;
          /** Where the sign-in begins, with the path of the board. */
          readonly path: string;
          /** Why nobody can sign in there at the moment; `null`: nothing is known against it. */
          readonly problem: 'cancelled' | 'expired' | 'provider_unreachable' | 'provider_refused' | 'client_refused' | 'answer_refused' | 'no_role' | 'no_project' | 'too_many' | 'unavailable' | null;
        } | null;
      };
    };
  };
  /** Get the frames that the latest analysis located in the repository, with source; at Gate 1 what stands in the way of a suspect, too */
  readonly getStack: {
    readonly path: {
      /** The id of the run */
      readonly run_id: string;
    };
    readonly answers: {
      readonly 200: PlacedStack;
    };
  };
  /** Get crashes by hour, releases, users and tags of a run */
  readonly getStatistics: {
    readonly path: {
      /** The id of the run */
      readonly run_id: string;
    };
    readonly answers: {
      readonly 200: Statistics;
    };
  };
  /** Get the story: the runs of a crash that was published and came back, oldest first */
  readonly getStory: {
    readonly path: {
      /** The id of the run */
      readonly run_id: string;
    };
    readonly answers: {
      readonly 200: Story;
    };
  };
  /** Get a webhook */
  readonly getWebhook: {
    readonly path: {
      /** The id of the webhook */
      readonly webhook_id: string;
    };
    readonly answers: {
      readonly 200: Webhook;
    };
  };
  /** Hand a published run over, once for each target */
  readonly handOffRun: {
    readonly path: {
      /** The id of the run */
      readonly run_id: string;
    };
    readonly body: {
      /** `github`: assign GitHub’s coding agent. `webhook`: send `run.handed_off` with the fix brief. */
      readonly to: 'github' | 'webhook';
      /** You have read the comments on the issue, which the agent reads, too: `comments.digest` of comments_unconfirmed. */
      readonly comments?: string | undefined;
    };
    readonly answers: {
      readonly 200: Run;
    };
  };
  /** List the deliveries that were given up, newest first */
  readonly listDeadDeliveries: {
    readonly path: {
      /** The id of the webhook */
      readonly webhook_id: string;
    };
    readonly query?: {
      /** `next` of the previous page of the same query. Default: the first page */
      readonly cursor?: string | undefined;
      /** Entries of one page. Default: all of them */
      readonly limit?: number | undefined;
    };
    readonly answers: {
      readonly 200: {
        readonly deliveries: readonly {
          /** The `webhook-id`. */
          readonly id: string;
          readonly type: 'run.created' | 'run.regressed' | 'run.state_changed' | 'run.draft_ready' | 'run.analysis_failed' | 'run.returned' | 'run.rejected' | 'run.commented' | 'run.fixed' | 'run.unfixed' | 'run.handed_off' | 'issue.published' | 'issue.publish_failed' | 'webhook.test';
          /** When it was given up. */
          readonly at: string;
          readonly attempts: number;
          readonly code: 'delivered' | 'refused' | 'redirected' | 'gone' | 'timed_out' | 'unreachable' | 'address_refused' | 'no_secret' | 'turned_off' | 'queue_full';
          /** Of the response; `null`: none. */
          readonly status: number | null;
        }[];
        readonly next: string | null;
      };
    };
  };
  /** List known edges: guard figures, limits, dead letters, commands */
  readonly listEdges: {
    readonly query?: {
      /** `next` of the previous page of the same query. Default: the first page */
      readonly cursor?: string | undefined;
      /** Entries of one page. Default: all of them */
      readonly limit?: number | undefined;
    };
    readonly answers: {
      readonly 200: {
        readonly edges: readonly Edge[];
        readonly next: string | null;
      };
    };
  };
  /** List the latest erasures, newest first; they do not say who was erased */
  readonly listErasures: {
    readonly query?: {
      /** `next` of the previous page of the same query. Default: the first page */
      readonly cursor?: string | undefined;
      /** Entries of one page. Default: all of them */
      readonly limit?: number | undefined;
    };
    readonly answers: {
      readonly 200: {
        readonly erasures: readonly {
          readonly erasure_id: string;
          /** `counted`: to be confirmed. `changed`: counted again before erasing, which found something else; nothing was erased, and the new digest is to be confirmed. `failed`: see `error`. */
          readonly state: 'counting' | 'counted' | 'checking' | 'changed' | 'erasing' | 'done' | 'failed';
          /** Who counted, or confirmed. */
          readonly by: string;
          readonly started_at: string;
          readonly ended_at: string | null;
          /** Runs that this pass has looked at. */
          readonly looked_at: number;
          /** Approximate number of runs. */
          readonly runs: number;
          /** Counted so far, or erased so far. */
          readonly found: {
            /** Runs that name the person anywhere. */
            readonly runs: number;
            /** Stored crashes that name the person. */
            readonly events: number;
            /** Texts that name the person, in all of these runs. */
            readonly fields: number;
            /** Analyses whose evidence names the person. */
            readonly evidence: number;
            /** Drafts, with their suspects and explanations. */
            readonly drafts: number;
            /** History entries: decisions of the person, and reasons and comments that name them. */
            readonly history: number;
            /** Other stored values, such as saved views, proposals, releases and deliveries of webhooks. */
            readonly values: number;
            /** API tokens that the person made. They end. */
            readonly tokens: number;
            /** Sessions of the person. They end. */
            readonly sessions: number;
            /** Published issues that name the person, which stay as they are. At most 1,000. */
            readonly issues: readonly string[];
          };
          /** Confirms what was counted; `null` unless something is to be confirmed. */
          readonly digest: string | null;
          /** A code of the error catalogue. */
          readonly error: string | null;
        }[];
        readonly next: string | null;
      };
    };
  };
  /** List failed notifications, newest first */
  readonly listFailedNotifications: {
    readonly query?: {
      /** `next` of the previous page of the same query. Default: the first page */
      readonly cursor?: string | undefined;
      /** Entries of one page. Default: all of them */
      readonly limit?: number | undefined;
    };
    readonly answers: {
      readonly 200: {
        readonly notifications: readonly {
          readonly connector: string;
          readonly run_id: string;
          readonly state: 'staged_raw' | 'analyzing' | 'staged_draft' | 'publishing' | 'published' | 'rejected' | 'snoozed' | 'merged';
          readonly at: string;
          readonly attempts: number;
          readonly code: string;
          readonly detail: string;
        }[];
        readonly next: string | null;
      };
    };
  };
  /** List the occurrences of a run, latest first; at least the latest 1,000 are stored */
  readonly listOccurrences: {
    readonly path: {
      /** The id of the run */
      readonly run_id: string;
    };
    readonly query?: {
      /** `next` of the previous page of the same query. Default: the first page */
      readonly cursor?: string | undefined;
      /** Entries of one page */
      readonly limit?: number | undefined;
    };
    readonly answers: {
      readonly 200: OccurrencePage;
    };
  };
  /** List the proposed changes of a draft, oldest first */
  readonly listProposals: {
    readonly path: {
      /** The id of the run */
      readonly run_id: string;
    };
    readonly query?: {
      /** `next` of the previous page of the same query. Default: the first page */
      readonly cursor?: string | undefined;
      /** Entries of one page. Default: all of them */
      readonly limit?: number | undefined;
    };
    readonly answers: {
      readonly 200: {
        readonly proposals: readonly {
          readonly id: string;
          /** The reviewer, or the maker of the token, who proposes it. */
          readonly by: string;
          /** The name of the API token; `null`: a person. */
          readonly token: string | null;
          readonly at: string;
          /** Of the draft that it was made from. */
          readonly digest: string;
          readonly title: string;
          readonly body: string;
          /** What the change is for; may be empty. */
          readonly note: string;
        }[];
        readonly next: string | null;
      };
    };
  };
  /** List what each key, door and project has used of its quota */
  readonly listQuotas: {
    readonly query?: {
      /** `next` of the previous page of the same query. Default: the first page */
      readonly cursor?: string | undefined;
      /** Entries of one page. Default: all of them */
      readonly limit?: number | undefined;
    };
    readonly answers: {
      readonly 200: {
        readonly quotas: readonly Quota[];
        readonly next: string | null;
      };
    };
  };
  /** List releases, recorded or named by crashes, with their deploys and counts */
  readonly listReleases: {
    readonly query?: {
      /** Of this project. Default: of all */
      readonly project?: string | undefined;
      /** `next` of the previous page of the same query. Default: the first page */
      readonly cursor?: string | undefined;
      /** Entries of one page */
      readonly limit?: number | undefined;
    };
    readonly answers: {
      readonly 200: {
        readonly releases: readonly ListedRelease[];
        readonly total: number;
        readonly next: string | null;
      };
    };
  };
  /** List runs, or search them */
  readonly listRuns: {
    readonly query?: {
      /** One or more of staged_raw, analyzing, staged_draft, publishing, published, rejected, snoozed, merged, separated by commas */
      readonly state?: string | undefined;
      /** Only this project */
      readonly project?: string | undefined;
      /** A search, such as `level:fatal env:prod "exact words"`. Qualifiers: level, state, project, env, release, platform, tag, title, type, message, function, file, sha, author */
      readonly q?: string | undefined;
      /** The order of the list */
      readonly order?: 'activity' | 'seen' | 'crashes' | 'users' | 'newest' | 'oldest' | undefined;
      /** `next` of the previous page of the same query. Default: the first page */
      readonly cursor?: string | undefined;
      /** Entries of one page */
      readonly limit?: number | undefined;
    };
    readonly answers: {
      readonly 200: RunPage;
    };
  };
  /** List the values of a qualifier of searches, most frequent first */
  readonly listSearchValues: {
    readonly query: {
      /** One of state, level, project, env, release, platform, tag */
      readonly field: string;
      /** The beginning of the value */
      readonly prefix?: string | undefined;
      /** At most this many */
      readonly limit?: number | undefined;
    };
    readonly answers: {
      readonly 200: {
        readonly values: readonly {
          readonly value: string;
          readonly runs: number;
        }[];
      };
    };
  };
  /** List your sessions, or those of everybody */
  readonly listSessions: {
    readonly query?: {
      /** Everybody’s; needs the scope `operate` and no limit to projects */
      readonly everybody?: boolean | undefined;
      /** `next` of the previous page of the same query. Default: the first page */
      readonly cursor?: string | undefined;
      /** Entries of one page. Default: all of them */
      readonly limit?: number | undefined;
    };
    readonly answers: {
      readonly 200: {
        /** Newest first. */
        readonly sessions: readonly {
          readonly session_id: string;
          readonly name: string;
          /** The session of this request. */
          readonly current: boolean;
          readonly signed_in_with: 'token' | 'provider';
          /** Those that hold in at least one project; `grants` says in which. */
          readonly scopes: readonly ('read' | 'comment' | 'gate1' | 'gate2' | 'operate' | 'release')[];
          /** Those with at least one scope; `null`: all projects. */
          readonly projects: readonly string[] | null;
          /** Which scopes hold in which projects. They add up. */
          readonly grants: readonly {
            readonly scopes: readonly ('read' | 'comment' | 'gate1' | 'gate2' | 'operate' | 'release')[];
            /** `null`: all projects. */
            readonly projects: readonly string[] | null;
          }[];
          /** `Firefox on Linux`, or `unknown`. */
          readonly program: string;
          readonly network: 'loopback' | 'private' | 'public';
          /** ISO 8601. */
          readonly opened_at: string;
          /** ISO 8601; exact to five minutes. */
          readonly seen_at: string;
          /** ISO 8601. */
          readonly expires_at: string;
        }[];
        readonly next: string | null;
      };
    };
  };
  /** List uploaded source maps */
  readonly listSourceMaps: {
    readonly query?: {
      /** Only this project */
      readonly project?: string | undefined;
      /** Only this release */
      readonly release?: string | undefined;
      /** `next` of the previous page of the same query. Default: the first page */
      readonly cursor?: string | undefined;
      /** Entries of one page. Default: all of them */
      readonly limit?: number | undefined;
    };
    readonly answers: {
      readonly 200: {
        readonly uploads: readonly {
          readonly id: string;
          readonly project: string;
          /** `null`: found by debug id only. */
          readonly release: string | null;
          readonly dist: string | null;
          readonly uploaded_at: string;
          /** The last use, to the hour; the upload if it was never used. */
          readonly used_at: string;
          /** When it is deleted, unless it is used before. */
          readonly kept_until: string;
          /** Built files with a map. */
          readonly files: number;
          /** Of its maps. Maps that uploads have in common are stored once. */
          readonly bytes: number;
          /** The first built files, at most 20. */
          readonly names: readonly string[];
          /** Maps that could not be read, at most 20. */
          readonly unreadable: readonly string[];
        }[];
        /** Of the projects that the credential may see. */
        readonly used_bytes: number;
        /** Of all projects together. */
        readonly quota_bytes: number;
        /** Of each project; `null`: projects have no quota of their own. */
        readonly project_quota_bytes: number | null;
        /** How long an upload is kept after its last use. */
        readonly keep_ms: number;
        readonly next: string | null;
      };
    };
  };
  /** List the API tokens, without their secrets */
  readonly listTokens: {
    readonly query?: {
      /** `next` of the previous page of the same query. Default: the first page */
      readonly cursor?: string | undefined;
      /** Entries of one page. Default: all of them */
      readonly limit?: number | undefined;
    };
    readonly answers: {
      readonly 200: {
        readonly tokens: readonly Token[];
        readonly next: string | null;
      };
    };
  };
  /** List your saved views of the inbox */
  readonly listViews: {
    readonly query?: {
      /** `next` of the previous page of the same query. Default: the first page */
      readonly cursor?: string | undefined;
      /** Entries of one page. Default: all of them */
      readonly limit?: number | undefined;
    };
    readonly answers: {
      readonly 200: {
        readonly views: readonly {
          readonly name: string;
          /** The query string of the board’s address, such as `?state=gate2&search=level%3Afatal`. */
          readonly address: string;
        }[];
        readonly next: string | null;
      };
    };
  };
  /** List outgoing webhooks, oldest first */
  readonly listWebhooks: {
    readonly query?: {
      /** `next` of the previous page of the same query. Default: the first page */
      readonly cursor?: string | undefined;
      /** Entries of one page. Default: all of them */
      readonly limit?: number | undefined;
    };
    readonly answers: {
      readonly 200: {
        readonly webhooks: readonly Webhook[];
        readonly next: string | null;
      };
    };
  };
  /** Make a link that opens the board signed in, once and within 15 minutes, as this reviewer token would */
  readonly makeSignInLink: {
    readonly body: {
      readonly token: string;
    };
    readonly answers: {
      readonly 200: {
        /** Its fragment is the secret, which browsers send to no server. */
        readonly url: string;
        readonly expires_at: string;
      };
    };
  };
  /** Make an API token with at most your own scopes and projects. The response shows its secret once */
  readonly makeToken: {
    readonly body: {
      readonly name: string;
      /** Every scope but `release` needs `read`. */
      readonly scopes: readonly ('read' | 'comment' | 'gate1' | 'gate2' | 'operate' | 'release')[];
      /** Names of projects. Default, and `null`: all of them. */
      readonly projects?: readonly string[] | null | undefined;
      /** Default 90; `null`: it does not expire. */
      readonly expires_in_days?: number | null | undefined;
    };
    readonly answers: {
      readonly 201: {
        /** Names the token; not a secret. */
        readonly id: string;
        readonly name: string;
        readonly scopes: readonly ('read' | 'comment' | 'gate1' | 'gate2' | 'operate' | 'release')[];
        /** `null`: all projects. */
        readonly projects: readonly string[] | null;
        /** The token acts in the name of this reviewer. */
        readonly made_by: string;
        /** The id of the token that made it, with which it is revoked; `null`: a person made it. */
        readonly made_with: string | null;
        readonly made_at: string;
        /** ISO 8601; `null`: it does not expire. */
        readonly expires_at: string | null;
        /** To the minute; `null`: never. */
        readonly last_used_at: string | null;
        /** The secret. It is shown once; only its hash is stored. */
        readonly token: string;
      };
    };
  };
  /** Merge a waiting run into another one, which counts its crashes from now on */
  readonly mergeRun: {
    readonly path: {
      /** The id of the run */
      readonly run_id: string;
    };
    readonly body: {
      /** ID of the run that counts the crashes from now on. */
      readonly into: string;
    };
    readonly answers: {
      readonly 200: {
        readonly run: Run;
        readonly into: Run | null;
      };
    };
  };
  /** Preview the issue that would be published if you signed it, byte for byte, including the trailer */
  readonly previewDraft: {
    readonly path: {
      /** The id of the run */
      readonly run_id: string;
    };
    readonly answers: {
      readonly 200: {
        readonly title: string;
        readonly body: string;
        /** The body becomes a comment on this issue, which is then opened. Absent: a new issue. */
        readonly reopens?: {
          readonly number: number;
          readonly url: string;
          /** The issue is not opened. Absent: it is. */
          readonly only_comment?: true | undefined;
        } | undefined;
        /** The earlier issue, which then gets a comment with the link of this one. */
        readonly link_back?: {
          readonly repository: string;
          readonly number: number;
          readonly url: string;
        } | undefined;
        /** What the code host would change or drop. */
        readonly divergence: readonly string[];
      };
    };
  };
  /** Propose a change of the draft, and comment on the run. The draft stays as it is */
  readonly proposeDraftEdit: {
    readonly path: {
      /** The id of the run */
      readonly run_id: string;
    };
    readonly body: {
      /** Default: the title of the draft. */
      readonly title?: string | undefined;
      readonly body: string;
      /** What the change is for. */
      readonly note?: string | undefined;
    };
    readonly answers: {
      readonly 201: {
        readonly id: string;
        /** The reviewer, or the maker of the token, who proposes it. */
        readonly by: string;
        /** The name of the API token; `null`: a person. */
        readonly token: string | null;
        readonly at: string;
        /** Of the draft that it was made from. */
        readonly digest: string;
        readonly title: string;
        readonly body: string;
        /** What the change is for; may be empty. */
        readonly note: string;
      };
    };
  };
  /** Record a deploy of a release */
  readonly recordDeploy: {
    readonly path: {
      /** The name of the project */
      readonly project: string;
      /** The release as crashes name it, percent-encoded */
      readonly version: string;
    };
    readonly body: {
      readonly environment: string;
      readonly name?: string | undefined;
      readonly url?: string | undefined;
      /** ISO 8601. */
      readonly started_at?: string | undefined;
      /** ISO 8601. Default: now. */
      readonly finished_at?: string | undefined;
    };
    readonly answers: {
      readonly 201: Deploy;
    };
  };
  /** Record a release, or change one that is recorded */
  readonly recordRelease: {
    readonly path: {
      /** The name of the project */
      readonly project: string;
      /** The release as crashes name it, percent-encoded */
      readonly version: string;
    };
    readonly body?: {
      readonly url?: string | null | undefined;
      /** ISO 8601. */
      readonly started_at?: string | undefined;
      /** ISO 8601. */
      readonly finalised_at?: string | undefined;
      readonly archived?: boolean | undefined;
      /** The released commit: a SHA, or a tag of the repository. */
      readonly commit?: string | undefined;
      /** The commit of the release before. Default: that of the last recorded one. */
      readonly previous?: string | null | undefined;
      /** The commits, newest first, in place of `commit`, if the code host cannot list them. */
      readonly commits?: readonly {
        readonly sha: string;
        readonly title: string;
        readonly committed_at?: string | null | undefined;
      }[] | undefined;
    };
    readonly answers: {
      readonly 200: Release;
      readonly 201: Release;
    };
  };
  /** Reject at Gate 1 */
  readonly rejectGateOne: {
    readonly path: {
      /** The id of the run */
      readonly run_id: string;
    };
    readonly body: {
      /** Stored in the history; at most 2,000 characters. */
      readonly reason: string;
    };
    readonly answers: {
      readonly 200: {
        readonly status: 'rejected' | 'returned';
        readonly state: 'rejected' | 'staged_raw';
      };
    };
  };
  /** Reject at Gate 2, or return to Gate 1 */
  readonly rejectGateTwo: {
    readonly path: {
      /** The id of the run */
      readonly run_id: string;
    };
    readonly body: {
      /** Stored in the history; at most 2,000 characters. */
      readonly reason: string;
      readonly to: 'staged_raw' | 'rejected';
    };
    readonly answers: {
      readonly 200: {
        readonly status: 'rejected' | 'returned';
        readonly state: 'rejected' | 'staged_raw';
      };
    };
  };
  /** Release your claim of a run */
  readonly releaseClaim: {
    readonly path: {
      /** The id of the run */
      readonly run_id: string;
    };
    readonly answers: {
      readonly 200: Run;
    };
  };
  /** Undo a rejection: return the run to the gate where it was rejected */
  readonly reopenRun: {
    readonly path: {
      /** The id of the run */
      readonly run_id: string;
    };
    readonly body?: Record<string, never>;
    readonly answers: {
      readonly 200: Run;
    };
  };
  /** Send dead deliveries again, one or all */
  readonly resendDeadDeliveries: {
    readonly path: {
      /** The id of the webhook */
      readonly webhook_id: string;
    };
    readonly body?: {
      /** Ids of dead deliveries. Absent: all. */
      readonly deliveries?: readonly string[] | undefined;
    };
    readonly answers: {
      readonly 202: {
        readonly queued: number;
      };
    };
  };
  /** Mark a published run as fixed; repeated, try a failed change of the issue again */
  readonly resolveRun: {
    readonly path: {
      /** The id of the run */
      readonly run_id: string;
    };
    readonly body?: {
      /** Full SHA of the fix: crashes of releases that do not contain it are only counted. */
      readonly commit?: string | undefined;
      /** Crashes of the releases in which the run has crashed are only counted. */
      readonly next_release?: boolean | undefined;
    };
    readonly answers: {
      readonly 200: Run;
    };
  };
  /** Retry a notification with the run’s latest state */
  readonly retryNotification: {
    readonly body: {
      readonly connector: string;
      readonly run_id: string;
    };
    readonly answers: {
      readonly 202: {
        readonly status: 'queued';
      };
    };
  };
  /** Revoke an API token and those that it made: at once, on other cores within seconds */
  readonly revokeToken: {
    readonly path: {
      /** The id in the list */
      readonly id: string;
    };
    readonly answers: {
      readonly 200: {
        /** The token, and those that it had made, directly or not. */
        readonly revoked: readonly {
          readonly id: string;
          readonly name: string;
        }[];
      };
    };
  };
  /** Rotate the secret. The one before signs for another 24 hours */
  readonly rotateWebhookSecret: {
    readonly path: {
      /** The id of the webhook */
      readonly webhook_id: string;
    };
    readonly body?: Record<string, never>;
    readonly answers: {
      readonly 200: {
        /** `whsec_…`. It is not shown again. */
        readonly secret: string;
        /** Until then the secret before signs, too. `null`: there was none. */
        readonly previous_until: string | null;
      };
    };
  };
  /** Save a view, or replace the one with this name; at most 50 */
  readonly saveView: {
    readonly body: {
      readonly name: string;
      /** The query string of the board’s address, such as `?state=gate2&search=level%3Afatal`. */
      readonly address: string;
    };
    readonly answers: {
      readonly 200: {
        readonly views: readonly {
          readonly name: string;
          /** The query string of the board’s address, such as `?state=gate2&search=level%3Afatal`. */
          readonly address: string;
        }[];
      };
    };
  };
  /** Sign in: exchange a reviewer token, or the secret of a sign-in link, for a session cookie */
  readonly signIn: {
    readonly body: {
      readonly token: string;
    } | {
      /** The secret of a sign-in link. */
      readonly link: string;
    };
    readonly answers: {
      readonly 200: {
        readonly name: string;
        readonly expires_at: string;
      };
    };
  };
  /** Sign out */
  readonly signOut: {
    readonly answers: {
      readonly 200: {
        /** Where a browser signs out at the provider. */
        readonly provider_url: string;
      };
      readonly 204: undefined;
    };
  };
  /** Snooze a run until a time, a number of further crashes or the next release */
  readonly snoozeRun: {
    readonly path: {
      /** The id of the run */
      readonly run_id: string;
    };
    readonly body: {
      readonly until: {
        readonly kind: 'time';
        /** ISO 8601, within 90 days. */
        readonly at: string;
      } | {
        readonly kind: 'crashes';
        readonly more: number;
      } | {
        readonly kind: 'release';
      };
      /** Stored in the history; at most 2,000 characters. */
      readonly reason?: string | undefined;
    };
    readonly answers: {
      readonly 200: Run;
    };
  };
  /** Undo a merge: the run returns to its gate, with its crashes */
  readonly splitRun: {
    readonly path: {
      /** The id of the run */
      readonly run_id: string;
    };
    readonly body?: Record<string, never>;
    readonly answers: {
      readonly 200: {
        readonly run: Run;
        readonly into: Run | null;
      };
    };
  };
  /** Send the event webhook.test once, and say what the receiver answered */
  readonly testWebhook: {
    readonly path: {
      /** The id of the webhook */
      readonly webhook_id: string;
    };
    readonly body?: Record<string, never>;
    readonly answers: {
      readonly 200: {
        readonly ok: boolean;
        /** Of the response; `null`: none. */
        readonly status: number | null;
        readonly code: 'delivered' | 'refused' | 'redirected' | 'gone' | 'timed_out' | 'unreachable' | 'address_refused' | 'no_secret' | 'turned_off' | 'queue_full';
        readonly ms: number;
        /** What the code means. */
        readonly detail: string;
      };
    };
  };
  /** Undo the mark that a run is fixed, also on its issue */
  readonly unresolveRun: {
    readonly path: {
      /** The id of the run */
      readonly run_id: string;
    };
    readonly answers: {
      readonly 200: Run;
    };
  };
  /** Replace the settings of a webhook */
  readonly updateWebhook: {
    readonly path: {
      /** The id of the webhook */
      readonly webhook_id: string;
    };
    readonly body: {
      readonly name: string;
      /** https, on the public internet unless WEBHOOK_ALLOWED_HOSTS has its host. */
      readonly url: string;
      readonly events: readonly ('run.created' | 'run.regressed' | 'run.state_changed' | 'run.draft_ready' | 'run.analysis_failed' | 'run.returned' | 'run.rejected' | 'run.commented' | 'run.fixed' | 'run.unfixed' | 'run.handed_off' | 'issue.published' | 'issue.publish_failed')[];
      /** Only runs of these projects; empty: all. */
      readonly projects?: readonly string[] | undefined;
      /** Only runs of these levels; empty: all. */
      readonly levels?: readonly ('fatal' | 'error' | 'warning' | 'info' | 'debug')[] | undefined;
      /** Only runs that crashed in one of these; empty: all. */
      readonly environments?: readonly string[] | undefined;
      readonly enabled?: boolean | undefined;
    };
    readonly answers: {
      readonly 200: Webhook;
    };
  };
  /** Verify the histories of a page of runs against their seals. Add up the pages */
  readonly verifyHistories: {
    readonly query?: {
      /** `next` of the previous page of the same query. Default: the first page */
      readonly cursor?: string | undefined;
      /** Runs of one page */
      readonly limit?: number | undefined;
      /** ISO 8601: accept entries without a seal from before this time, when AUDIT_KEY was first set */
      readonly sealed_since?: string | undefined;
    };
    readonly answers: {
      readonly 200: {
        /** Runs of this page. */
        readonly runs: number;
        /** Entries of their histories. */
        readonly entries: number;
        /** Entries whose names and reasons were erased. */
        readonly erased: number;
        /** Entries from before `sealed_since` without a seal, which cannot be verified. */
        readonly unsealed: number;
        /** Time of the earliest entry. */
        readonly first_at: string | null;
        /** Time of the latest entry. */
        readonly last_at: string | null;
        /** Every break in a history. Empty: nothing was changed. */
        readonly findings: readonly {
          readonly run_id: string;
          readonly kind: 'edited' | 'personal' | 'removed' | 'reordered' | 'truncated' | 'unsealed';
          /** Sequence of the first entry that it is about. */
          readonly sequence: number;
          readonly detail: string;
        }[];
        readonly next: string | null;
      };
    };
  };
  /** Verify the published issue: derive it again and compare it with the code host */
  readonly verifyPublication: {
    readonly path: {
      /** The id of the run */
      readonly run_id: string;
    };
    readonly answers: {
      readonly 200: Proof;
    };
  };
  /** End a snooze: return the run to its gate */
  readonly wakeRun: {
    readonly path: {
      /** The id of the run */
      readonly run_id: string;
    };
    readonly body?: Record<string, never>;
    readonly answers: {
      readonly 200: Run;
    };
  };
}

/** Method and path of each operation. */
export const OPERATIONS = {
  approveGateOne: 'POST /api/v1/runs/{run_id}/gate1/approve',
  approveGateTwo: 'POST /api/v1/runs/{run_id}/gate2/approve',
  claimRun: 'POST /api/v1/runs/{run_id}/claim',
  commandEdge: 'POST /api/v1/edges/{edge}/commands',
  commentOnRun: 'POST /api/v1/runs/{run_id}/comments',
  compareExplanations: 'POST /api/v1/runs/{run_id}/explanation/comparison',
  countErasure: 'POST /api/v1/erasures',
  createWebhook: 'POST /api/v1/webhooks',
  deleteRelease: 'DELETE /api/v1/releases/{project}/{version}',
  deleteSourceMaps: 'DELETE /api/v1/source-maps/{id}',
  deleteView: 'DELETE /api/v1/views',
  deleteWebhook: 'DELETE /api/v1/webhooks/{webhook_id}',
  dismissProposal: 'DELETE /api/v1/runs/{run_id}/proposals/{proposal_id}',
  editDraft: 'PUT /api/v1/runs/{run_id}/draft',
  endSession: 'DELETE /api/v1/sessions/{session_id}',
  erasePerson: 'POST /api/v1/erasures/{erasure_id}/erase',
  exportHistories: 'GET /api/v1/audit/entries',
  getActivity: 'GET /api/v1/activity',
  getBrief: 'GET /api/v1/runs/{run_id}/brief',
  getDigest: 'GET /api/v1/digest',
  getDraft: 'GET /api/v1/runs/{run_id}/draft',
  getDraftDifference: 'GET /api/v1/runs/{run_id}/draft/difference',
  getEdgeHistory: 'GET /api/v1/edges/history',
  getErasure: 'GET /api/v1/erasures/{erasure_id}',
  getEvidence: 'GET /api/v1/runs/{run_id}/evidence',
  getHealth: 'GET /api/v1/health',
  getHistory: 'GET /api/v1/runs/{run_id}/history',
  getModel: 'GET /api/v1/model',
  getOccurrence: 'GET /api/v1/runs/{run_id}/occurrences/{number}',
  getRelease: 'GET /api/v1/releases/{project}/{version}',
  getResolutionEffect: 'GET /api/v1/runs/{run_id}/resolution',
  getRun: 'GET /api/v1/runs/{run_id}',
  getSession: 'GET /api/v1/session',
  getSignInOptions: 'GET /api/v1/sign-in',
  getStack: 'GET /api/v1/runs/{run_id}/stack',
  getStatistics: 'GET /api/v1/runs/{run_id}/statistics',
  getStory: 'GET /api/v1/runs/{run_id}/story',
  getWebhook: 'GET /api/v1/webhooks/{webhook_id}',
  handOffRun: 'POST /api/v1/runs/{run_id}/hand-offs',
  listDeadDeliveries: 'GET /api/v1/webhooks/{webhook_id}/dead',
  listEdges: 'GET /api/v1/edges',
  listErasures: 'GET /api/v1/erasures',
  listFailedNotifications: 'GET /api/v1/notifications/failed',
  listOccurrences: 'GET /api/v1/runs/{run_id}/occurrences',
  listProposals: 'GET /api/v1/runs/{run_id}/proposals',
  listQuotas: 'GET /api/v1/quotas',
  listReleases: 'GET /api/v1/releases',
  listRuns: 'GET /api/v1/runs',
  listSearchValues: 'GET /api/v1/search-values',
  listSessions: 'GET /api/v1/sessions',
  listSourceMaps: 'GET /api/v1/source-maps',
  listTokens: 'GET /api/v1/tokens',
  listViews: 'GET /api/v1/views',
  listWebhooks: 'GET /api/v1/webhooks',
  makeSignInLink: 'POST /api/v1/session/link',
  makeToken: 'POST /api/v1/tokens',
  mergeRun: 'POST /api/v1/runs/{run_id}/merge',
  previewDraft: 'GET /api/v1/runs/{run_id}/draft/preview',
  proposeDraftEdit: 'POST /api/v1/runs/{run_id}/proposals',
  recordDeploy: 'POST /api/v1/releases/{project}/{version}/deploys',
  recordRelease: 'PUT /api/v1/releases/{project}/{version}',
  rejectGateOne: 'POST /api/v1/runs/{run_id}/gate1/reject',
  rejectGateTwo: 'POST /api/v1/runs/{run_id}/gate2/reject',
  releaseClaim: 'DELETE /api/v1/runs/{run_id}/claim',
  reopenRun: 'POST /api/v1/runs/{run_id}/reopen',
  resendDeadDeliveries: 'POST /api/v1/webhooks/{webhook_id}/resend',
  resolveRun: 'POST /api/v1/runs/{run_id}/resolution',
  retryNotification: 'POST /api/v1/notifications/retry',
  revokeToken: 'DELETE /api/v1/tokens/{id}',
  rotateWebhookSecret: 'POST /api/v1/webhooks/{webhook_id}/secret',
  saveView: 'PUT /api/v1/views',
  signIn: 'POST /api/v1/session',
  signOut: 'DELETE /api/v1/session',
  snoozeRun: 'POST /api/v1/runs/{run_id}/snooze',
  splitRun: 'POST /api/v1/runs/{run_id}/split',
  testWebhook: 'POST /api/v1/webhooks/{webhook_id}/test',
  unresolveRun: 'DELETE /api/v1/runs/{run_id}/resolution',
  updateWebhook: 'PUT /api/v1/webhooks/{webhook_id}',
  verifyHistories: 'GET /api/v1/audit/verification',
  verifyPublication: 'GET /api/v1/runs/{run_id}/verification',
  wakeRun: 'POST /api/v1/runs/{run_id}/wake',
} as const satisfies Readonly<Record<keyof Operations, string>>;
