// Over 300 lines: recorded from a real core by scripts/api-examples.mjs. Record it again, do not edit it.

/** What a program sent to an operation, and what core answered. */
export interface Example {
  readonly body?: unknown;
  readonly status: number;
  readonly answer: unknown;
}

/** By `operationId`. */
export const EXAMPLES: Readonly<Record<string, Example>> = {
 "approveGateOne": {
  "status": 200,
  "answer": {
   "status": "analyzed",
   "state": "staged_draft"
  }
 },
 "approveGateTwo": {
  "status": 200,
  "answer": {
   "status": "published",
   "issue_url": "https://culprit.example/outbox/1"
  }
 },
 "claimRun": {
  "body": {
   "take_over": true
  },
  "status": 200,
  "answer": {
   "run_id": "run_01m8f72nat9q9q217fykhmtme8",
   "project": "default",
   "state": "staged_raw",
   "fingerprint": {
    "version": "v2",
    "hash": "f86e55965ed66688ffdff97a7ab1033ce75cc68e7c626eeca595cb3c6385abc1",
    "parts": [
     "custom own-1"
    ]
   },
   "occurrences": 1,
   "title": "TypeError: boom 1",
   "level": "error",
   "platform": "node",
   "first_seen": "2026-11-27T19:17:53.622Z",
   "last_seen": "2026-11-27T19:17:53.622Z",
   "first_crash_at": "2026-11-27T19:17:53.622Z",
   "releases": [
    "0a561bf1e0330fa1cc892d1014224a36930d5bbd"
   ],
   "environments": [],
   "place": {
    "function": "total",
    "file": "src/cart.js",
    "line": 4
   },
   "doors": [
    "embedded"
   ],
   "sources": [
    {
     "door": "embedded",
     "trust": "trusted",
     "occurrences": 1,
     "trackers": [
      "embedded"
     ],
     "first_seen": "2026-11-27T19:17:53.622Z",
     "last_seen": "2026-11-27T19:17:53.622Z",
     "event_id": "crash-1"
    }
   ],
   "revision": null,
   "no_suspect": null,
   "publication": null,
   "regression_of": null,
   "last_error": null,
   "generation": 1,
   "cycle": 1,
   "version": 3,
   "updated_at": "2026-11-27T19:17:53.627Z",
   "users": {
    "count": 0,
    "more": false
   },
   "comments": 1,
   "remarks": 2,
   "suspects": [],
   "draft": null,
   "explanation": null,
   "event": {
    "event_id": "crash-1",
    "project": "default",
    "door": "embedded",
    "trust": "trusted",
    "tracker": "embedded",
    "timestamp": "2026-11-27T19:17:53.622Z",
    "received_at": "2026-11-27T19:17:53.622Z",
    "level": "error",
    "platform": "node",
    "message": "boom 1",
    "message_template": null,
    "exceptions": [
     {
      "type": "TypeError",
      "value": "boom 1",
      "module": null,
      "handled": null,
      "synthetic": false,
      "mechanism": null,
      "frames": [
       {
        "file": "src/checkout.js",
        "abs_path": null,
        "module": null,
        "package": null,
        "function": "pay",
        "line": 2,
        "column": 29,
        "in_app": true,
        "platform": null,
        "context_line": null,
        "pre_context": [],
        "post_context": [],
        "vars": null,
        "instruction_addr": null
       }
      ]
     }
    ],
    "release": "0a561bf1e0330fa1cc892d1014224a36930d5bbd",
    "dist": null,
    "environment": null,
    "commit": null,
    "server_name": null,
    "transaction": null,
    "logger": null,
    "tags": {},
    "user": null,
    "request": null,
    "contexts": {},
    "breadcrumbs": [],
    "extra": {},
    "modules": {},
    "fingerprint": [
     "own-1"
    ],
    "sdk": null,
    "attachments": [],
    "trimmed": [],
    "redactions": 0,
    "raw_sha256": null
   },
   "claim": {
    "by": "ada",
    "at": "2026-11-27T19:17:53.751Z",
    "until": "2026-11-27T20:17:53.751Z"
   }
  }
 },
 "commandEdge": {
  "body": {
   "kind": "limits",
   "values": {
    "keyRate": 100
   }
  },
  "status": 202,
  "answer": {
   "id": "cmd_254debdd8119034b5efba6fe",
   "action": {
    "kind": "limits",
    "values": {
     "keyRate": 100
    }
   },
   "by": "ada",
   "at": "2026-11-27T19:17:54.257Z",
   "status": "queued",
   "detail": null
  }
 },
 "commentOnRun": {
  "body": {
   "comment": "Seen after the deploy."
  },
  "status": 200,
  "answer": {
   "run_id": "run_01m8f72nat9q9q217fykhmtme8",
   "project": "default",
   "state": "staged_raw",
   "fingerprint": {
    "version": "v2",
    "hash": "f86e55965ed66688ffdff97a7ab1033ce75cc68e7c626eeca595cb3c6385abc1",
    "parts": [
     "custom own-1"
    ]
   },
   "occurrences": 1,
   "title": "TypeError: boom 1",
   "level": "error",
   "platform": "node",
   "first_seen": "2026-11-27T19:17:53.622Z",
   "last_seen": "2026-11-27T19:17:53.622Z",
   "first_crash_at": "2026-11-27T19:17:53.622Z",
   "releases": [
    "0a561bf1e0330fa1cc892d1014224a36930d5bbd"
   ],
   "environments": [],
   "place": {
    "function": "total",
    "file": "src/cart.js",
    "line": 4
   },
   "doors": [
    "embedded"
   ],
   "sources": [
    {
     "door": "embedded",
     "trust": "trusted",
     "occurrences": 1,
     "trackers": [
      "embedded"
     ],
     "first_seen": "2026-11-27T19:17:53.622Z",
     "last_seen": "2026-11-27T19:17:53.622Z",
     "event_id": "crash-1"
    }
   ],
   "revision": null,
   "no_suspect": null,
   "publication": null,
   "regression_of": null,
   "last_error": null,
   "generation": 1,
   "cycle": 1,
   "version": 2,
   "updated_at": "2026-11-27T19:17:53.627Z",
   "suspects": [],
   "draft": null,
   "users": {
    "count": 0,
    "more": false
   },
   "explanation": null,
   "event": {
    "event_id": "crash-1",
    "project": "default",
    "door": "embedded",
    "trust": "trusted",
    "tracker": "embedded",
    "timestamp": "2026-11-27T19:17:53.622Z",
    "received_at": "2026-11-27T19:17:53.622Z",
    "level": "error",
    "platform": "node",
    "message": "boom 1",
    "message_template": null,
    "exceptions": [
     {
      "type": "TypeError",
      "value": "boom 1",
      "module": null,
      "handled": null,
      "synthetic": false,
      "mechanism": null,
      "frames": [
       {
        "file": "src/checkout.js",
        "abs_path": null,
        "module": null,
        "package": null,
        "function": "pay",
        "line": 2,
        "column": 29,
        "in_app": true,
        "platform": null,
        "context_line": null,
        "pre_context": [],
        "post_context": [],
        "vars": null,
        "instruction_addr": null
       }
      ]
     }
    ],
    "release": "0a561bf1e0330fa1cc892d1014224a36930d5bbd",
    "dist": null,
    "environment": null,
    "commit": null,
    "server_name": null,
    "transaction": null,
    "logger": null,
    "tags": {},
    "user": null,
    "request": null,
    "contexts": {},
    "breadcrumbs": [],
    "extra": {},
    "modules": {},
    "fingerprint": [
     "own-1"
    ],
    "sdk": null,
    "attachments": [],
    "trimmed": [],
    "redactions": 0,
    "raw_sha256": null
   },
   "comments": 1,
   "remarks": 1
  }
 },
 "compareExplanations": {
  "status": 200,
  "answer": {
   "template": {
    "by": "template",
    "seconds": 0,
    "claims": [
     {
      "text": "`TypeError` was raised in `total` at `src/cart.js:4`.",
      "cites": [
       {
        "evidence": "exception:0",
        "quote": "TypeError: boom 1"
       }
      ]
     }
    ],
    "refused": [],
    "failed": null
   },
   "model": {
    "by": "qwen3-8b",
    "seconds": 0,
    "claims": [
     {
      "text": "A value is read before it is known to be there.",
      "cites": [
       {
        "evidence": "run",
        "quote": "seen once, first 2026-11-27T19:17:53.622Z, last 2026-11-27T19:17:53.622Z"
       }
      ]
     }
    ],
    "refused": [
     {
      "text": "The server was restarted shortly before.",
      "why": "it cites \"frame:99\", which is no evidence of this run"
     }
    ],
    "failed": null
   }
  }
 },
 "countErasure": {
  "body": {
   "person": "kim@example.com"
  },
  "status": 202,
  "answer": {
   "erasure_id": "era_bcae731c9dddfa6e7ba40350",
   "state": "counting",
   "by": "ada",
   "started_at": "2026-11-27T19:17:54.271Z",
   "ended_at": null,
   "looked_at": 0,
   "runs": 0,
   "found": {
    "runs": 0,
    "events": 0,
    "fields": 0,
    "evidence": 0,
    "drafts": 0,
    "history": 0,
    "values": 0,
    "tokens": 0,
    "sessions": 0,
    "issues": []
   },
   "digest": null,
   "error": null
  }
 },
 "deleteView": {
  "status": 200,
  "answer": {
   "views": []
  }
 },
 "dismissProposal": {
  "status": 204,
  "answer": ""
 },
 "editDraft": {
  "body": {
   "title": "TypeError: boom 1 (edited)",
   "body": "### What happened\n\n`TypeError`: `boom 1`\n\nCrashed in `total` at [`src/cart.js:4`](https://culprit.example/code/default/0a561bf1e0330fa1cc892d1014224a36930d5bbd/src/cart.js#L4).\n\n- **Seen** once, 2026-11-27 19:17:53 UTC\n- **Release** `0a561bf1e0330fa1cc892d1014224a36930d5bbd`\n\n`src/cart.js` at the crashed commit:\n\n```text\n  1 | // <b>not markup</b> & \"quotes\"\n  2 | export function total(items) {\n  3 |   const sum = items.reduce((all, item) => all + item.price, 0);\n> 4 |   return sum * items[0].tax.rate;\n  5 | }\n```\n\n### Suspect change\n\n**Possible cause** (no probability: it was measured only in repositories with at least 100 commits): `f6ba461` `feat: totals carry tax`, in `src/cart.js`:\n\n```diff\n@@ -1,5 +1,5 @@\n // <b>not markup</b> & \"quotes\"\n export function total(items) {\n   const sum = items.reduce((all, item) => all + item.price, 0);\n-  return sum;\n+  return sum * items[0].tax.rate;   ◀ crashed line\n }\n```\n\n### Explanation\n\nWritten by the model `qwen3-8b`, which may be wrong. Every quote below appears verbatim in the evidence.\n\n1. `A value is read before it is known to be there.`\n   - Evidence: the incident (`seen once, first 2026-11-27T19:17:53.622Z, last 2026-11-27T19:17:53.622Z`)\n2. `The change replaced a check with a direct access, so a missing value now crashes.`\n   - Evidence: the error (`TypeError: boom 1`); the frame at `src/cart.js:4` (`src/cart.js:4 in total`)\n\nNote: `Removed 2 of 4 claims because their quotes are not in the evidence.`\n\n### Blame\n\nA suspect is a change, not a person. The label `suspect:none` means that no suspect is rated likely.\n\n| Change | Why |\n|---|---|\n| `f6ba461` `feat: totals carry tax`, `Grace`, 2026-10-05 | last changed line 4 of `src/cart.js`, the crashed line; was committed 53 days before the crash; mentions `items`, `rate`, `tax` in its diff; mentions `tax` in its message |\n\n### Stack trace\n\n1. [`src/cart.js:4`](https://culprit.example/code/default/0a561bf1e0330fa1cc892d1014224a36930d5bbd/src/cart.js#L4) in `total` **← crashed here**\n2. [`src/checkout.js:2`](https://culprit.example/code/default/0a561bf1e0330fa1cc892d1014224a36930d5bbd/src/checkout.js#L2) in `pay`\n\n<details><summary>Details</summary>\n\n| Field | Value |\n|---|---|\n| Reported through | the embedding application |\n| `level` | `error` |\n| `platform` | `node` |\n| `event` | `crash-1` |\n| `fingerprint` | `f86e55965ed66688` |\n\n</details>"
  },
  "status": 200,
  "answer": {
   "repository": "/srv/shop",
   "title": "TypeError: boom 1 (edited)",
   "body": "### What happened\n\n`TypeError`: `boom 1`\n\nCrashed in `total` at [`src/cart.js:4`](https://culprit.example/code/default/0a561bf1e0330fa1cc892d1014224a36930d5bbd/s…",
   "labels": [
    "culprit"
   ],
   "assignees": [],
   "digest": "49a8daa86ed36b790d1950d1db85fbf198de869a850e60ad64db07c02d98dfff",
   "edited_by": "ada",
   "trust": "trusted"
  }
 },
 "erasePerson": {
  "body": {
   "person": "kim@example.com",
   "digest": "8a97425548d0539933a49dc897f05f8d6ef6a9be7348be63651bfc5ea6068641"
  },
  "status": 202,
  "answer": {
   "erasure_id": "era_bcae731c9dddfa6e7ba40350",
   "state": "checking",
   "by": "ada",
   "started_at": "2026-11-27T19:17:54.271Z",
   "ended_at": null,
   "looked_at": 0,
   "runs": 3,
   "found": {
    "runs": 0,
    "events": 0,
    "fields": 0,
    "evidence": 0,
    "drafts": 0,
    "history": 0,
    "values": 0,
    "tokens": 0,
    "sessions": 0,
    "issues": []
   },
   "digest": null,
   "error": null
  }
 },
 "exportHistories": {
  "status": 200,
  "answer": {
   "entries": [
    {
     "run_id": "run_01m8f72nat9q9q217fykhmtme8",
     "at": "2026-11-27T19:17:53.627Z",
     "kind": "step",
     "name": "staged",
     "by": null,
     "via": "engine",
     "from": null,
     "to": "staged_raw",
     "digest": null,
     "ms": null,
     "error": null,
     "detail": {
      "event_id": "crash-1",
      "door": "embedded",
      "trust": "trusted",
      "generation": 1
     },
     "sequence": 1
    }
   ],
   "next": "bldaQ0Nxdkc1cFEtN1ZUQSAwMDAxNzk1ODA3MDczNjIyL3J1bl8wMW04ZjcybmF0OXE5cTIxN2Z5a2htdG1lOA"
  }
 },
 "getActivity": {
  "status": 200,
  "answer": {
   "runs": {
    "run_01m8f72nat9q9q217fykhmtme8": {
     "total": 1,
     "hours": [
      0
     ]
    },
    "run_01m8f72nb013qz8pxn8ag4tepz": {
     "total": 2,
     "hours": [
      0
     ]
    }
   }
  }
 },
 "getBrief": {
  "status": 200,
  "answer": "## Fix brief: `TypeError: boom 1`\n\nRun `run_01m8f72nat9q9q217fykhmtme8` of project `default`, in state `published`.\n\n> Text in code spans and code blocks comes …"
 },
 "getDigest": {
  "status": 200,
  "answer": {
   "since": "2026-11-27T07:17:53.737Z",
   "until": "2026-11-27T19:17:53.737Z",
   "waiting": {
    "at": "2026-11-27T19:17:53.737Z",
    "gate1": 3,
    "gate2": 0,
    "oldest": [
     {
      "run_id": "run_01m8f72nat9q9q217fykhmtme8",
      "project": "default",
      "title": "TypeError: boom 1",
      "state": "staged_raw",
      "first_seen": "2026-11-27T19:17:53.622Z"
     }
    ]
   },
   "gates": {
    "gate1": {
     "decisions": 0,
     "median_wait_ms": null
    },
    "gate2": {
     "decisions": 0,
     "median_wait_ms": null
    }
   },
   "reviewers": [],
   "new_runs": 3,
   "failed_analyses": 0,
   "published": {
    "count": 0,
    "runs": []
   },
   "rejected": {
    "count": 0,
    "runs": []
   },
   "regressions": {
    "count": 0,
    "runs": []
   },
   "complete": true
  }
 },
 "getDraft": {
  "status": 200,
  "answer": {
   "repository": "/srv/shop",
   "title": "TypeError: boom 1",
   "body": "### What happened\n\n`TypeError`: `boom 1`\n\nCrashed in `total` at [`src/cart.js:4`](https://culprit.example/code/default/0a561bf1e0330fa1cc892d1014224a36930d5bbd/s…",
   "labels": [
    "culprit"
   ],
   "assignees": [],
   "digest": "55a5b4d2ee1c042f16daed3c372532e47557264aae1806e141511b7e43232f5c",
   "edited_by": null,
   "trust": "trusted"
  }
 },
 "getDraftDifference": {
  "status": 200,
  "answer": {
   "same": false,
   "machine": {
    "digest": "55a5b4d2ee1c042f16daed3c372532e47557264aae1806e141511b7e43232f5c",
    "title": "TypeError: boom 1"
   },
   "current": {
    "digest": "49a8daa86ed36b790d1950d1db85fbf198de869a850e60ad64db07c02d98dfff",
    "title": "TypeError: boom 1 (edited)",
    "edited_by": "ada"
   },
   "labels": {
    "added": [],
    "removed": []
   },
   "assignees": {
    "added": [],
    "removed": []
   },
   "body": ""
  }
 },
 "getEdgeHistory": {
  "status": 200,
  "answer": {
   "edges": [
    {
     "edge": "edge-1",
     "points": [
      {
       "at": 1795807074251,
       "accepted": 0,
       "refused": 0,
       "depth": 0,
       "oldest_ms": 0
      }
     ]
    }
   ]
  }
 },
 "getErasure": {
  "status": 200,
  "answer": {
   "erasure_id": "era_bcae731c9dddfa6e7ba40350",
   "state": "counting",
   "by": "ada",
   "started_at": "2026-11-27T19:17:54.271Z",
   "ended_at": null,
   "looked_at": 0,
   "runs": 0,
   "found": {
    "runs": 0,
    "events": 0,
    "fields": 0,
    "evidence": 0,
    "drafts": 0,
    "history": 0,
    "values": 0,
    "tokens": 0,
    "sessions": 0,
    "issues": []
   },
   "digest": null,
   "error": null
  }
 },
 "getEvidence": {
  "status": 200,
  "answer": {
   "format": "culprit.evidence/1",
   "run_id": "run_01m8f72nat9q9q217fykhmtme8",
   "project": "default",
   "generation": 1,
   "cycle": 1,
   "analyzed_at": "2026-11-27T19:17:53.768Z",
   "config": {
    "repository": "/srv/shop",
    "publishRepository": "/srv/shop",
    "mappings": [],
    "labels": [],
    "assignees": [],
    "commitLabels": false,
    "diffBudget": 50
   },
   "incident": {
    "title": "TypeError: boom 1",
    "fingerprint": {
     "version": "v2",
     "hash": "f86e55965ed66688ffdff97a7ab1033ce75cc68e7c626eeca595cb3c6385abc1",
     "parts": [
      "custom own-1"
     ]
    },
    "level": "error",
    "platform": "node",
    "occurrences": 1,
    "first_seen": "2026-11-27T19:17:53.622Z",
    "last_seen": "2026-11-27T19:17:53.622Z",
    "releases": [
     "0a561bf1e0330fa1cc892d1014224a36930d5bbd"
    ],
    "environments": [],
    "doors": [
     "embedded"
    ],
    "regression_of": null,
    "sources": [
     {
      "door": "embedded",
      "trust": "trusted",
      "occurrences": 1,
      "trackers": [
       "embedded"
      ],
      "first_seen": "2026-11-27T19:17:53.622Z",
      "last_seen": "2026-11-27T19:17:53.622Z",
      "event_id": "crash-1"
     }
    ],
    "first_crash_at": "2026-11-27T19:17:53.622Z"
   },
   "event": {
    "event_id": "crash-1",
    "project": "default",
    "door": "embedded",
    "trust": "trusted",
    "tracker": "embedded",
    "timestamp": "2026-11-27T19:17:53.622Z",
    "received_at": "2026-11-27T19:17:53.622Z",
    "level": "error",
    "platform": "node",
    "message": "boom 1",
    "message_template": null,
    "exceptions": [
     {
      "type": "TypeError",
      "value": "boom 1",
      "module": null,
      "handled": null,
      "synthetic": false,
      "mechanism": null,
      "frames": [
       {
        "file": "src/checkout.js",
        "abs_path": null,
        "module": null,
        "package": null,
        "function": "pay",
        "line": 2,
        "column": 29,
        "in_app": true,
        "platform": null,
        "context_line": null,
        "pre_context": [],
        "post_context": [],
        "vars": null,
        "instruction_addr": null
       }
      ]
     }
    ],
    "release": "0a561bf1e0330fa1cc892d1014224a36930d5bbd",
    "dist": null,
    "environment": null,
    "commit": null,
    "server_name": null,
    "transaction": null,
    "logger": null,
    "tags": {},
    "user": null,
    "request": null,
    "contexts": {},
    "breadcrumbs": [],
    "extra": {},
    "modules": {},
    "fingerprint": [
     "own-1"
    ],
    "sdk": null,
    "attachments": [],
    "trimmed": [],
    "redactions": 0,
    "raw_sha256": null
   },
   "draft": {
    "repository": "/srv/shop",
    "title": "TypeError: boom 1",
    "body": "### What happened\n\n`TypeError`: `boom 1`\n\nCrashed in `total` at [`src/cart.js:4`](https://culprit.example/code/default/0a561bf1e0330fa1cc892d1014224a36930d5bbd/s…",
    "labels": [
     "culprit"
    ],
    "assignees": [],
    "digest": "55a5b4d2ee1c042f16daed3c372532e47557264aae1806e141511b7e43232f5c",
    "edited_by": null,
    "trust": "trusted"
   },
   "versions": {
    "culprit": "0.2.0",
    "ranking": "7",
    "draft": "10",
    "evidence": "2",
    "prompt": "v1",
    "fingerprint": "v2"
   },
   "calls": [
    {
     "port": "code_host",
     "method": "tree",
     "request": {
      "repository": "/srv/shop",
      "hints": {
       "commit": null,
       "release": "0a561bf1e0330fa1cc892d1014224a36930d5bbd",
       "at": "2026-11-27T19:17:53.622Z"
      }
     },
     "answer": {
      "revision": {
       "sha": "0a561bf1e0330fa1cc892d1014224a36930d5bbd",
       "committed_at": "2026-10-09T10:00:00.000Z",
       "how": "release"
      },
      "previous_release": null,
      "paths": [
       "src/cart.js"
      ],
      "truncated": false,
      "links": {
       "commit": null,
       "line": "https://culprit.example/code/default/{sha}/{path}#L{line}"
      }
     },
     "error": null
    }
   ]
  }
 },
 "getHealth": {
  "status": 200,
  "answer": {
   "state": "ok",
   "checked_at": "2026-11-27T19:17:53.725Z",
   "checks": [
    {
     "name": "storage",
     "state": "ok",
     "detail": "In memory: all data is lost when the process ends.",
     "since": "2026-11-27T19:17:53.722Z"
    }
   ]
  }
 },
 "getHistory": {
  "status": 200,
  "answer": {
   "entries": [
    {
     "at": "2026-11-27T19:17:53.627Z",
     "kind": "step",
     "name": "staged",
     "by": null,
     "via": "engine",
     "from": null,
     "to": "staged_raw",
     "digest": null,
     "ms": null,
     "error": null,
     "detail": {
      "event_id": "crash-1",
      "door": "embedded",
      "trust": "trusted",
      "generation": 1
     },
     "sequence": 1
    }
   ],
   "next": null
  }
 },
 "getModel": {
  "status": 200,
  "answer": {
   "model": {
    "explainer": "openai",
    "model": "qwen3-8b",
    "version": "b6402-1f2e3d4c",
    "state": "usable",
    "reason": null,
    "probed_at": "2026-11-20T14:04:51.000Z",
    "limits": [
     {
      "name": "schema",
      "holds": true,
      "detail": "the answer’s schema is enforced"
     }
    ]
   }
  }
 },
 "getOccurrence": {
  "status": 200,
  "answer": {
   "occurrence": {
    "number": 1,
    "event_id": "crash-1",
    "received_at": "2026-11-27T19:17:53.622Z",
    "release": "0a561bf1e0330fa1cc892d1014224a36930d5bbd",
    "environment": null,
    "door": "embedded",
    "trust": "trusted",
    "user": null,
    "stored": true
   },
   "event": {
    "event_id": "crash-1",
    "project": "default",
    "door": "embedded",
    "trust": "trusted",
    "tracker": "embedded",
    "timestamp": "2026-11-27T19:17:53.622Z",
    "received_at": "2026-11-27T19:17:53.622Z",
    "level": "error",
    "platform": "node",
    "message": "boom 1",
    "message_template": null,
    "exceptions": [
     {
      "type": "TypeError",
      "value": "boom 1",
      "module": null,
      "handled": null,
      "synthetic": false,
      "mechanism": null,
      "frames": [
       {
        "file": "src/checkout.js",
        "abs_path": null,
        "module": null,
        "package": null,
        "function": "pay",
        "line": 2,
        "column": 29,
        "in_app": true,
        "platform": null,
        "context_line": null,
        "pre_context": [],
        "post_context": [],
        "vars": null,
        "instruction_addr": null
       }
      ]
     }
    ],
    "release": "0a561bf1e0330fa1cc892d1014224a36930d5bbd",
    "dist": null,
    "environment": null,
    "commit": null,
    "server_name": null,
    "transaction": null,
    "logger": null,
    "tags": {},
    "user": null,
    "request": null,
    "contexts": {},
    "breadcrumbs": [],
    "extra": {},
    "modules": {},
    "fingerprint": [
     "own-1"
    ],
    "sdk": null,
    "attachments": [],
    "trimmed": [],
    "redactions": 0,
    "raw_sha256": null
   }
  }
 },
 "getResolutionEffect": {
  "status": 200,
  "answer": {
   "comment": null,
   "set": null
  }
 },
 "getRun": {
  "status": 200,
  "answer": {
   "run_id": "run_01m8f72nat9q9q217fykhmtme8",
   "project": "default",
   "state": "published",
   "fingerprint": {
    "version": "v2",
    "hash": "f86e55965ed66688ffdff97a7ab1033ce75cc68e7c626eeca595cb3c6385abc1",
    "parts": [
     "custom own-1"
    ]
   },
   "occurrences": 1,
   "title": "TypeError: boom 1",
   "level": "error",
   "platform": "node",
   "first_seen": "2026-11-27T19:17:53.622Z",
   "last_seen": "2026-11-27T19:17:53.622Z",
   "first_crash_at": "2026-11-27T19:17:53.622Z",
   "releases": [
    "0a561bf1e0330fa1cc892d1014224a36930d5bbd"
   ],
   "environments": [],
   "place": {
    "function": "total",
    "file": "src/cart.js",
    "line": 4
   },
   "doors": [
    "embedded"
   ],
   "sources": [
    {
     "door": "embedded",
     "trust": "trusted",
     "occurrences": 1,
     "trackers": [
      "embedded"
     ],
     "first_seen": "2026-11-27T19:17:53.622Z",
     "last_seen": "2026-11-27T19:17:53.622Z",
     "event_id": "crash-1"
    }
   ],
   "revision": {
    "sha": "0a561bf1e0330fa1cc892d1014224a36930d5bbd",
    "how": "release"
   },
   "no_suspect": null,
   "publication": {
    "issue_url": "https://culprit.example/outbox/1",
    "number": 1,
    "published_at": "2026-11-27T19:17:54.030Z",
    "digest": "49a8daa86ed36b790d1950d1db85fbf198de869a850e60ad64db07c02d98dfff",
    "divergence": []
   },
   "regression_of": null,
   "last_error": null,
   "generation": 1,
   "cycle": 1,
   "version": 13,
   "updated_at": "2026-11-27T19:17:54.045Z",
   "users": {
    "count": 0,
    "more": false
   },
   "comments": 2,
   "remarks": 4,
   "claim": null,
   "snooze": null,
   "approved_by": "ada",
   "suspects": [
    {
     "sha": "f6ba4615e9c5d0f897169b372d5311bb7b245263",
     "author": {
      "name": "Grace"
     },
     "committed_at": "2026-10-05T10:00:00.000Z",
     "title": "feat: totals carry tax",
     "url": null,
     "score": 9.802,
     "components": {
      "near": 2,
      "sure": 2.5,
      "function": 0.078,
      "newest_owner": 1.029,
      "recency": -2.022,
      "history": 1.148,
      "touches_file": 0.691,
      "message": 0.0683,
      "source_added": 0.1856,
      "edits_function": 0.498,
      "sweep": -0.0555,
      "touches_dir": 1.156,
      "newest": 1.0256,
      "clear_line": 1.5
     },
     "probability": 0.9956,
     "verdict": "recent",
     "unrated": {
      "code": "few_commits",
      "commits": 100
     },
     "reasons": [
      {
       "code": "last_changed_line",
       "path": "src/cart.js",
       "line": 4,
       "role": "crashed",
       "text": "last changed line 4 of `src/cart.js`, the crashed line"
      }
     ],
     "frames": [
      1
     ],
     "hunk": {
      "path": "src/cart.js",
      "header": "@@ -1,5 +1,5 @@",
      "lines": [
       {
        "kind": "context",
        "text": "// <b>not markup</b> & \"quotes\"",
        "line": 1,
        "crashed": false
       }
      ]
     },
     "pull_request": null
    }
   ],
   "draft": {
    "repository": "/srv/shop",
    "title": "TypeError: boom 1 (edited)",
    "body": "### What happened\n\n`TypeError`: `boom 1`\n\nCrashed in `total` at [`src/cart.js:4`](https://culprit.example/code/default/0a561bf1e0330fa1cc892d1014224a36930d5bbd/s…",
    "labels": [
     "culprit"
    ],
    "assignees": [],
    "digest": "49a8daa86ed36b790d1950d1db85fbf198de869a850e60ad64db07c02d98dfff",
    "edited_by": "ada",
    "trust": "trusted"
   },
   "ownership": null,
   "explanation": {
    "source": "model",
    "model": "qwen3-8b",
    "claims": [
     {
      "text": "A value is read before it is known to be there.",
      "cites": [
       {
        "evidence": "run",
        "quote": "seen once, first 2026-11-27T19:17:53.622Z, last 2026-11-27T19:17:53.622Z"
       }
      ]
     }
    ],
    "insufficient": false,
    "note": "Removed 2 of 4 claims because their quotes are not in the evidence."
   },
   "event": {
    "event_id": "crash-1",
    "project": "default",
    "door": "embedded",
    "trust": "trusted",
    "tracker": "embedded",
    "timestamp": "2026-11-27T19:17:53.622Z",
    "received_at": "2026-11-27T19:17:53.622Z",
    "level": "error",
    "platform": "node",
    "message": "boom 1",
    "message_template": null,
    "exceptions": [
     {
      "type": "TypeError",
      "value": "boom 1",
      "module": null,
      "handled": null,
      "synthetic": false,
      "mechanism": null,
      "frames": [
       {
        "file": "src/checkout.js",
        "abs_path": null,
        "module": null,
        "package": null,
        "function": "pay",
        "line": 2,
        "column": 29,
        "in_app": true,
        "platform": null,
        "context_line": null,
        "pre_context": [],
        "post_context": [],
        "vars": null,
        "instruction_addr": null
       }
      ]
     }
    ],
    "release": "0a561bf1e0330fa1cc892d1014224a36930d5bbd",
    "dist": null,
    "environment": null,
    "commit": null,
    "server_name": null,
    "transaction": null,
    "logger": null,
    "tags": {},
    "user": null,
    "request": null,
    "contexts": {},
    "breadcrumbs": [],
    "extra": {},
    "modules": {},
    "fingerprint": [
     "own-1"
    ],
    "sdk": null,
    "attachments": [],
    "trimmed": [],
    "redactions": 0,
    "raw_sha256": null
   }
  }
 },
 "getSession": {
  "status": 200,
  "answer": {
   "name": "ada",
   "expires_at": null,
   "scopes": [
    "read"
   ],
   "projects": null,
   "grants": [
    {
     "scopes": [
      "read"
     ],
     "projects": null
    }
   ],
   "senders": [],
   "rules": {
    "second_person": false,
    "bound_approval": false
   }
  }
 },
 "getStack": {
  "status": 200,
  "answer": {
   "exception": 0,
   "frames": [
    {
     "frame": 1,
     "path": "src/cart.js",
     "line": 4,
     "how": "exact",
     "url": "https://culprit.example/code/default/0a561bf1e0330fa1cc892d1014224a36930d5bbd/src/cart.js#L4",
     "verified": true,
     "source": {
      "from": 1,
      "lines": [
       "// <b>not markup</b> & \"quotes\""
      ]
     }
    }
   ]
  }
 },
 "getStatistics": {
  "status": 200,
  "answer": {
   "occurrences": 1,
   "hours": [
    {
     "from": "2026-11-27T19:00:00.000Z",
     "occurrences": 1
    }
   ],
   "releases": [
    {
     "name": "0a561bf1e0330fa1cc892d1014224a36930d5bbd",
     "first_seen": "2026-11-27T19:17:53.622Z",
     "last_seen": "2026-11-27T19:17:53.622Z",
     "occurrences": 1
    }
   ],
   "users": {
    "count": 0,
    "more": false
   },
   "tags": [
    {
     "name": "release",
     "occurrences": 1,
     "values": [
      {
       "value": "0a561bf1e0330fa1cc892d1014224a36930d5bbd",
       "occurrences": 1
      }
     ],
     "other": 0
    }
   ]
  }
 },
 "getStory": {
  "status": 200,
  "answer": {
   "chapters": [
    {
     "run_id": "run_01m8f72nat9q9q217fykhmtme8",
     "state": "published",
     "first_seen": "2026-11-27T19:17:53.622Z",
     "release": "0a561bf1e0330fa1cc892d1014224a36930d5bbd",
     "merged_into": null,
     "issue": {
      "number": 1,
      "url": "https://culprit.example/outbox/1",
      "published_at": "2026-11-27T19:17:54.030Z",
      "reopened": false
     },
     "closed": null,
     "fix": null,
     "fixed_in": null
    }
   ],
   "whole": true
  }
 },
 "listEdges": {
  "status": 200,
  "answer": {
   "edges": [
    {
     "edge": "edge-1",
     "received_at": "2026-11-27T19:17:54.251Z",
     "figures": {
      "dead_letters": 0,
      "outcomes": {}
     },
     "limits": {},
     "dead_letters": [],
     "commands": []
    }
   ],
   "next": null
  }
 },
 "listErasures": {
  "status": 200,
  "answer": {
   "erasures": [
    {
     "erasure_id": "era_bcae731c9dddfa6e7ba40350",
     "state": "done",
     "by": "ada",
     "started_at": "2026-11-27T19:17:54.271Z",
     "ended_at": "2026-11-27T19:17:54.574Z",
     "looked_at": 3,
     "runs": 3,
     "found": {
      "runs": 0,
      "events": 0,
      "fields": 0,
      "evidence": 0,
      "drafts": 0,
      "history": 0,
      "values": 0,
      "tokens": 0,
      "sessions": 0,
      "issues": []
     },
     "digest": null,
     "error": null
    }
   ],
   "next": null
  }
 },
 "listFailedNotifications": {
  "status": 200,
  "answer": {
   "notifications": [],
   "next": null
  }
 },
 "listOccurrences": {
  "status": 200,
  "answer": {
   "occurrences": [
    {
     "number": 1,
     "event_id": "crash-1",
     "received_at": "2026-11-27T19:17:53.622Z",
     "release": "0a561bf1e0330fa1cc892d1014224a36930d5bbd",
     "environment": null,
     "door": "embedded",
     "trust": "trusted",
     "user": null,
     "stored": true
    }
   ],
   "events": [
    1
   ],
   "next": null
  }
 },
 "listProposals": {
  "status": 200,
  "answer": {
   "proposals": [
    {
     "id": "prop_1b2f51c656923ee5",
     "by": "ada",
     "token": null,
     "at": "2026-11-27T19:17:54.017Z",
     "digest": "55a5b4d2ee1c042f16daed3c372532e47557264aae1806e141511b7e43232f5c",
     "title": "TypeError: boom 1 (edited)",
     "body": "### What happened\n\n`TypeError`: `boom 1`\n\nCrashed in `total` at [`src/cart.js:4`](https://culprit.example/code/default/0a561bf1e0330fa1cc892d1014224a36930d5bbd/s…",
     "note": "Says what to do."
    }
   ],
   "next": null
  }
 },
 "listQuotas": {
  "status": 200,
  "answer": {
   "quotas": [
    {
     "scope": "door",
     "project": "default",
     "door": "embedded",
     "key": null,
     "used": {
      "new_runs": 3,
      "open_runs": 3,
      "bytes": 49152
     },
     "limits": {
      "new_runs": 2000,
      "open_runs": 50000,
      "bytes": 2147483648
     },
     "refused": 0
    }
   ],
   "next": null
  }
 },
 "listRuns": {
  "status": 200,
  "answer": {
   "runs": [
    {
     "run_id": "run_01m8f72nb2fsm6ry68yrka0h10",
     "project": "default",
     "state": "staged_raw",
     "fingerprint": {
      "version": "v2",
      "hash": "fc692a8bca9ec86f58051809fca7c59d03928d8a89f8d8a842820688adf3ec5a",
      "parts": [
       "custom own-3"
      ]
     },
     "occurrences": 1,
     "title": "TypeError: boom 3",
     "level": "error",
     "platform": "node",
     "first_seen": "2026-11-27T19:17:53.634Z",
     "last_seen": "2026-11-27T19:17:53.634Z",
     "first_crash_at": "2026-11-27T19:17:53.634Z",
     "releases": [
      "0a561bf1e0330fa1cc892d1014224a36930d5bbd"
     ],
     "environments": [],
     "place": {
      "function": "total",
      "file": "src/cart.js",
      "line": 4
     },
     "doors": [
      "embedded"
     ],
     "sources": [
      {
       "door": "embedded",
       "trust": "trusted",
       "occurrences": 1,
       "trackers": [
        "embedded"
       ],
       "first_seen": "2026-11-27T19:17:53.634Z",
       "last_seen": "2026-11-27T19:17:53.634Z",
       "event_id": "crash-3"
      }
     ],
     "revision": null,
     "no_suspect": null,
     "publication": null,
     "regression_of": null,
     "last_error": null,
     "generation": 1,
     "cycle": 1,
     "version": 1,
     "updated_at": "2026-11-27T19:17:53.634Z",
     "suspects": [],
     "draft": null,
     "users": {
      "count": 0,
      "more": false
     }
    }
   ],
   "next": "RnhwZkJ0aTlsZE5oczlpcCA4NjM4MjA0MTkyOTI2MzY3L3J1bl8wMW04ZjcybmIwMTNxejhweG44YWc0dGVweg"
  }
 },
 "listSearchValues": {
  "status": 200,
  "answer": {
   "values": [
    {
     "value": "staged_raw",
     "runs": 3
    }
   ]
  }
 },
 "listSessions": {
  "status": 200,
  "answer": {
   "sessions": [],
   "next": null
  }
 },
 "listTokens": {
  "status": 200,
  "answer": {
   "tokens": [
    {
     "id": "tok_715565df0d6f4325",
     "name": "ci",
     "made_by": "ada",
     "made_at": "2026-11-27T19:17:54.258Z",
     "expires_at": "2027-02-25T19:17:54.258Z",
     "made_with": null,
     "scopes": [
      "read"
     ],
     "projects": null,
     "last_used_at": null
    }
   ],
   "next": null
  }
 },
 "listViews": {
  "status": 200,
  "answer": {
   "views": [
    {
     "name": "Fatal",
     "address": "?search=level%3Afatal"
    }
   ],
   "next": null
  }
 },
 "makeToken": {
  "body": {
   "name": "ci",
   "scopes": [
    "read",
    "release"
   ]
  },
  "status": 201,
  "answer": {
   "id": "tok_715565df0d6f4325",
   "name": "ci",
   "made_by": "ada",
   "made_at": "2026-11-27T19:17:54.258Z",
   "expires_at": "2027-02-25T19:17:54.258Z",
   "made_with": null,
   "scopes": [
    "read"
   ],
   "projects": null,
   "last_used_at": null,
   "token": "culprit_…"
  }
 },
 "mergeRun": {
  "body": {
   "into": "run_01m8f72nb013qz8pxn8ag4tepz"
  },
  "status": 200,
  "answer": {
   "run": {
    "run_id": "run_01m8f72nb2fsm6ry68yrka0h10",
    "project": "default",
    "state": "merged",
    "fingerprint": {
     "version": "v2",
     "hash": "fc692a8bca9ec86f58051809fca7c59d03928d8a89f8d8a842820688adf3ec5a",
     "parts": [
      "custom own-3"
     ]
    },
    "occurrences": 1,
    "title": "TypeError: boom 3",
    "level": "error",
    "platform": "node",
    "first_seen": "2026-11-27T19:17:53.634Z",
    "last_seen": "2026-11-27T19:17:53.634Z",
    "first_crash_at": "2026-11-27T19:17:53.634Z",
    "releases": [
     "0a561bf1e0330fa1cc892d1014224a36930d5bbd"
    ],
    "environments": [],
    "place": {
     "function": "total",
     "file": "src/cart.js",
     "line": 4
    },
    "doors": [
     "embedded"
    ],
    "sources": [
     {
      "door": "embedded",
      "trust": "trusted",
      "occurrences": 1,
      "trackers": [
       "embedded"
      ],
      "first_seen": "2026-11-27T19:17:53.634Z",
      "last_seen": "2026-11-27T19:17:53.634Z",
      "event_id": "crash-3"
     }
    ],
    "revision": null,
    "no_suspect": null,
    "publication": null,
    "regression_of": null,
    "last_error": null,
    "generation": 1,
    "cycle": 1,
    "version": 2,
    "updated_at": "2026-11-27T19:17:54.138Z",
    "suspects": [],
    "draft": null,
    "users": {
     "count": 0,
     "more": false
    },
    "explanation": null,
    "event": {
     "event_id": "crash-3",
     "project": "default",
     "door": "embedded",
     "trust": "trusted",
     "tracker": "embedded",
     "timestamp": "2026-11-27T19:17:53.634Z",
     "received_at": "2026-11-27T19:17:53.634Z",
     "level": "error",
     "platform": "node",
     "message": "boom 3",
     "message_template": null,
     "exceptions": [
      {
       "type": "TypeError",
       "value": "boom 3",
       "module": null,
       "handled": null,
       "synthetic": false,
       "mechanism": null,
       "frames": [
        {
         "file": "src/checkout.js",
         "abs_path": null,
         "module": null,
         "package": null,
         "function": "pay",
         "line": 2,
         "column": 29,
         "in_app": true,
         "platform": null,
         "context_line": null,
         "pre_context": [],
         "post_context": [],
         "vars": null,
         "instruction_addr": null
        }
       ]
      }
     ],
     "release": "0a561bf1e0330fa1cc892d1014224a36930d5bbd",
     "dist": null,
     "environment": null,
     "commit": null,
     "server_name": null,
     "transaction": null,
     "logger": null,
     "tags": {},
     "user": null,
     "request": null,
     "contexts": {},
     "breadcrumbs": [],
     "extra": {},
     "modules": {},
     "fingerprint": [
      "own-3"
     ],
     "sdk": null,
     "attachments": [],
     "trimmed": [],
     "redactions": 0,
     "raw_sha256": null
    },
    "merged_into": "run_01m8f72nb013qz8pxn8ag4tepz"
   },
   "into": {
    "run_id": "run_01m8f72nb013qz8pxn8ag4tepz",
    "project": "default",
    "state": "staged_raw",
    "fingerprint": {
     "version": "v2",
     "hash": "eae3e735f2186c610526c0015e0dfc3a55fba921fa4d6e947673af2654e32bd0",
     "parts": [
      "custom own-2"
     ]
    },
    "occurrences": 2,
    "title": "TypeError: boom 2",
    "level": "error",
    "platform": "node",
    "first_seen": "2026-11-27T19:17:53.632Z",
    "last_seen": "2026-11-27T19:17:53.634Z",
    "first_crash_at": "2026-11-27T19:17:53.632Z",
    "releases": [
     "0a561bf1e0330fa1cc892d1014224a36930d5bbd"
    ],
    "environments": [],
    "place": {
     "function": "total",
     "file": "src/cart.js",
     "line": 4
    },
    "doors": [
     "embedded"
    ],
    "sources": [
     {
      "door": "embedded",
      "trust": "trusted",
      "occurrences": 2,
      "trackers": [
       "embedded"
      ],
      "first_seen": "2026-11-27T19:17:53.632Z",
      "last_seen": "2026-11-27T19:17:53.634Z",
      "event_id": "crash-3"
     }
    ],
    "revision": null,
    "no_suspect": null,
    "publication": null,
    "regression_of": null,
    "last_error": null,
    "generation": 1,
    "cycle": 2,
    "version": 4,
    "updated_at": "2026-11-27T19:17:54.138Z",
    "users": {
     "count": 0,
     "more": false
    },
    "approved_by": null,
    "suspects": [],
    "draft": null,
    "explanation": null,
    "event": {
     "event_id": "crash-2",
     "project": "default",
     "door": "embedded",
     "trust": "trusted",
     "tracker": "embedded",
     "timestamp": "2026-11-27T19:17:53.632Z",
     "received_at": "2026-11-27T19:17:53.632Z",
     "level": "error",
     "platform": "node",
     "message": "boom 2",
     "message_template": null,
     "exceptions": [
      {
       "type": "TypeError",
       "value": "boom 2",
       "module": null,
       "handled": null,
       "synthetic": false,
       "mechanism": null,
       "frames": [
        {
         "file": "src/checkout.js",
         "abs_path": null,
         "module": null,
         "package": null,
         "function": "pay",
         "line": 2,
         "column": 29,
         "in_app": true,
         "platform": null,
         "context_line": null,
         "pre_context": [],
         "post_context": [],
         "vars": null,
         "instruction_addr": null
        }
       ]
      }
     ],
     "release": "0a561bf1e0330fa1cc892d1014224a36930d5bbd",
     "dist": null,
     "environment": null,
     "commit": null,
     "server_name": null,
     "transaction": null,
     "logger": null,
     "tags": {},
     "user": null,
     "request": null,
     "contexts": {},
     "breadcrumbs": [],
     "extra": {},
     "modules": {},
     "fingerprint": [
      "own-2"
     ],
     "sdk": null,
     "attachments": [],
     "trimmed": [],
     "redactions": 0,
     "raw_sha256": null
    },
    "members": [
     {
      "run_id": "run_01m8f72nb013qz8pxn8ag4tepz",
      "fingerprint": "eae3e735f2186c610526c0015e0dfc3a55fba921fa4d6e947673af2654e32bd0",
      "generation": 1,
      "into": null,
      "occurrences": 1,
      "first_seen": "2026-11-27T19:17:53.632Z",
      "last_seen": "2026-11-27T19:17:53.632Z",
      "releases": [
       "0a561bf1e0330fa1cc892d1014224a36930d5bbd"
      ],
      "environments": [],
      "doors": [
       "embedded"
      ],
      "first_crash_at": "2026-11-27T19:17:53.632Z",
      "sources": [
       {
        "door": "embedded",
        "trust": "trusted",
        "occurrences": 1,
        "trackers": [
         "embedded"
        ],
        "first_seen": "2026-11-27T19:17:53.632Z",
        "last_seen": "2026-11-27T19:17:53.632Z",
        "event_id": "crash-2"
       }
      ]
     }
    ]
   }
  }
 },
 "previewDraft": {
  "status": 200,
  "answer": {
   "title": "TypeError: boom 1",
   "body": "### What happened\n\n`TypeError`: `boom 1`\n\nCrashed in `total` at [`src/cart.js:4`](https://culprit.example/code/default/0a561bf1e0330fa1cc892d1014224a36930d5bbd/s…",
   "divergence": []
  }
 },
 "proposeDraftEdit": {
  "body": {
   "title": "TypeError: boom 1 (edited)",
   "body": "### What happened\n\n`TypeError`: `boom 1`\n\nCrashed in `total` at [`src/cart.js:4`](https://culprit.example/code/default/0a561bf1e0330fa1cc892d1014224a36930d5bbd/src/cart.js#L4).\n\n- **Seen** once, 2026-11-27 19:17:53 UTC\n- **Release** `0a561bf1e0330fa1cc892d1014224a36930d5bbd`\n\n`src/cart.js` at the crashed commit:\n\n```text\n  1 | // <b>not markup</b> & \"quotes\"\n  2 | export function total(items) {\n  3 |   const sum = items.reduce((all, item) => all + item.price, 0);\n> 4 |   return sum * items[0].tax.rate;\n  5 | }\n```\n\n### Suspect change\n\n**Possible cause** (no probability: it was measured only in repositories with at least 100 commits): `f6ba461` `feat: totals carry tax`, in `src/cart.js`:\n\n```diff\n@@ -1,5 +1,5 @@\n // <b>not markup</b> & \"quotes\"\n export function total(items) {\n   const sum = items.reduce((all, item) => all + item.price, 0);\n-  return sum;\n+  return sum * items[0].tax.rate;   ◀ crashed line\n }\n```\n\n### Explanation\n\nWritten by the model `qwen3-8b`, which may be wrong. Every quote below appears verbatim in the evidence.\n\n1. `A value is read before it is known to be there.`\n   - Evidence: the incident (`seen once, first 2026-11-27T19:17:53.622Z, last 2026-11-27T19:17:53.622Z`)\n2. `The change replaced a check with a direct access, so a missing value now crashes.`\n   - Evidence: the error (`TypeError: boom 1`); the frame at `src/cart.js:4` (`src/cart.js:4 in total`)\n\nNote: `Removed 2 of 4 claims because their quotes are not in the evidence.`\n\n### Blame\n\nA suspect is a change, not a person. The label `suspect:none` means that no suspect is rated likely.\n\n| Change | Why |\n|---|---|\n| `f6ba461` `feat: totals carry tax`, `Grace`, 2026-10-05 | last changed line 4 of `src/cart.js`, the crashed line; was committed 53 days before the crash; mentions `items`, `rate`, `tax` in its diff; mentions `tax` in its message |\n\n### Stack trace\n\n1. [`src/cart.js:4`](https://culprit.example/code/default/0a561bf1e0330fa1cc892d1014224a36930d5bbd/src/cart.js#L4) in `total` **← crashed here**\n2. [`src/checkout.js:2`](https://culprit.example/code/default/0a561bf1e0330fa1cc892d1014224a36930d5bbd/src/checkout.js#L2) in `pay`\n\n<details><summary>Details</summary>\n\n| Field | Value |\n|---|---|\n| Reported through | the embedding application |\n| `level` | `error` |\n| `platform` | `node` |\n| `event` | `crash-1` |\n| `fingerprint` | `f86e55965ed66688` |\n\n</details>",
   "note": "Says what to do."
  },
  "status": 201,
  "answer": {
   "id": "prop_1b2f51c656923ee5",
   "by": "ada",
   "token": null,
   "at": "2026-11-27T19:17:54.017Z",
   "digest": "55a5b4d2ee1c042f16daed3c372532e47557264aae1806e141511b7e43232f5c",
   "title": "TypeError: boom 1 (edited)",
   "body": "### What happened\n\n`TypeError`: `boom 1`\n\nCrashed in `total` at [`src/cart.js:4`](https://culprit.example/code/default/0a561bf1e0330fa1cc892d1014224a36930d5bbd/s…",
   "note": "Says what to do."
  }
 },
 "rejectGateOne": {
  "body": {
   "reason": "Known."
  },
  "status": 200,
  "answer": {
   "status": "rejected",
   "state": "rejected"
  }
 },
 "rejectGateTwo": {
  "body": {
   "reason": "Not ours.",
   "to": "staged_raw"
  },
  "status": 200,
  "answer": {
   "status": "returned",
   "state": "staged_raw"
  }
 },
 "releaseClaim": {
  "status": 200,
  "answer": {
   "run_id": "run_01m8f72nat9q9q217fykhmtme8",
   "project": "default",
   "state": "staged_raw",
   "fingerprint": {
    "version": "v2",
    "hash": "f86e55965ed66688ffdff97a7ab1033ce75cc68e7c626eeca595cb3c6385abc1",
    "parts": [
     "custom own-1"
    ]
   },
   "occurrences": 1,
   "title": "TypeError: boom 1",
   "level": "error",
   "platform": "node",
   "first_seen": "2026-11-27T19:17:53.622Z",
   "last_seen": "2026-11-27T19:17:53.622Z",
   "first_crash_at": "2026-11-27T19:17:53.622Z",
   "releases": [
    "0a561bf1e0330fa1cc892d1014224a36930d5bbd"
   ],
   "environments": [],
   "place": {
    "function": "total",
    "file": "src/cart.js",
    "line": 4
   },
   "doors": [
    "embedded"
   ],
   "sources": [
    {
     "door": "embedded",
     "trust": "trusted",
     "occurrences": 1,
     "trackers": [
      "embedded"
     ],
     "first_seen": "2026-11-27T19:17:53.622Z",
     "last_seen": "2026-11-27T19:17:53.622Z",
     "event_id": "crash-1"
    }
   ],
   "revision": null,
   "no_suspect": null,
   "publication": null,
   "regression_of": null,
   "last_error": null,
   "generation": 1,
   "cycle": 1,
   "version": 4,
   "updated_at": "2026-11-27T19:17:53.627Z",
   "users": {
    "count": 0,
    "more": false
   },
   "comments": 1,
   "remarks": 3,
   "claim": null,
   "suspects": [],
   "draft": null,
   "explanation": null,
   "event": {
    "event_id": "crash-1",
    "project": "default",
    "door": "embedded",
    "trust": "trusted",
    "tracker": "embedded",
    "timestamp": "2026-11-27T19:17:53.622Z",
    "received_at": "2026-11-27T19:17:53.622Z",
    "level": "error",
    "platform": "node",
    "message": "boom 1",
    "message_template": null,
    "exceptions": [
     {
      "type": "TypeError",
      "value": "boom 1",
      "module": null,
      "handled": null,
      "synthetic": false,
      "mechanism": null,
      "frames": [
       {
        "file": "src/checkout.js",
        "abs_path": null,
        "module": null,
        "package": null,
        "function": "pay",
        "line": 2,
        "column": 29,
        "in_app": true,
        "platform": null,
        "context_line": null,
        "pre_context": [],
        "post_context": [],
        "vars": null,
        "instruction_addr": null
       }
      ]
     }
    ],
    "release": "0a561bf1e0330fa1cc892d1014224a36930d5bbd",
    "dist": null,
    "environment": null,
    "commit": null,
    "server_name": null,
    "transaction": null,
    "logger": null,
    "tags": {},
    "user": null,
    "request": null,
    "contexts": {},
    "breadcrumbs": [],
    "extra": {},
    "modules": {},
    "fingerprint": [
     "own-1"
    ],
    "sdk": null,
    "attachments": [],
    "trimmed": [],
    "redactions": 0,
    "raw_sha256": null
   }
  }
 },
 "reopenRun": {
  "status": 200,
  "answer": {
   "run_id": "run_01m8f72nb013qz8pxn8ag4tepz",
   "project": "default",
   "state": "staged_raw",
   "fingerprint": {
    "version": "v2",
    "hash": "eae3e735f2186c610526c0015e0dfc3a55fba921fa4d6e947673af2654e32bd0",
    "parts": [
     "custom own-2"
    ]
   },
   "occurrences": 1,
   "title": "TypeError: boom 2",
   "level": "error",
   "platform": "node",
   "first_seen": "2026-11-27T19:17:53.632Z",
   "last_seen": "2026-11-27T19:17:53.632Z",
   "first_crash_at": "2026-11-27T19:17:53.632Z",
   "releases": [
    "0a561bf1e0330fa1cc892d1014224a36930d5bbd"
   ],
   "environments": [],
   "place": {
    "function": "total",
    "file": "src/cart.js",
    "line": 4
   },
   "doors": [
    "embedded"
   ],
   "sources": [
    {
     "door": "embedded",
     "trust": "trusted",
     "occurrences": 1,
     "trackers": [
      "embedded"
     ],
     "first_seen": "2026-11-27T19:17:53.632Z",
     "last_seen": "2026-11-27T19:17:53.632Z",
     "event_id": "crash-2"
    }
   ],
   "revision": null,
   "no_suspect": null,
   "publication": null,
   "regression_of": null,
   "last_error": null,
   "generation": 1,
   "cycle": 2,
   "version": 3,
   "updated_at": "2026-11-27T19:17:54.135Z",
   "users": {
    "count": 0,
    "more": false
   },
   "suspects": [],
   "draft": null,
   "explanation": null,
   "event": {
    "event_id": "crash-2",
    "project": "default",
    "door": "embedded",
    "trust": "trusted",
    "tracker": "embedded",
    "timestamp": "2026-11-27T19:17:53.632Z",
    "received_at": "2026-11-27T19:17:53.632Z",
    "level": "error",
    "platform": "node",
    "message": "boom 2",
    "message_template": null,
    "exceptions": [
     {
      "type": "TypeError",
      "value": "boom 2",
      "module": null,
      "handled": null,
      "synthetic": false,
      "mechanism": null,
      "frames": [
       {
        "file": "src/checkout.js",
        "abs_path": null,
        "module": null,
        "package": null,
        "function": "pay",
        "line": 2,
        "column": 29,
        "in_app": true,
        "platform": null,
        "context_line": null,
        "pre_context": [],
        "post_context": [],
        "vars": null,
        "instruction_addr": null
       }
      ]
     }
    ],
    "release": "0a561bf1e0330fa1cc892d1014224a36930d5bbd",
    "dist": null,
    "environment": null,
    "commit": null,
    "server_name": null,
    "transaction": null,
    "logger": null,
    "tags": {},
    "user": null,
    "request": null,
    "contexts": {},
    "breadcrumbs": [],
    "extra": {},
    "modules": {},
    "fingerprint": [
     "own-2"
    ],
    "sdk": null,
    "attachments": [],
    "trimmed": [],
    "redactions": 0,
    "raw_sha256": null
   },
   "approved_by": null
  }
 },
 "resolveRun": {
  "body": {
   "next_release": true
  },
  "status": 200,
  "answer": {
   "run_id": "run_01m8f72nat9q9q217fykhmtme8",
   "project": "default",
   "state": "published",
   "fingerprint": {
    "version": "v2",
    "hash": "f86e55965ed66688ffdff97a7ab1033ce75cc68e7c626eeca595cb3c6385abc1",
    "parts": [
     "custom own-1"
    ]
   },
   "occurrences": 1,
   "title": "TypeError: boom 1",
   "level": "error",
   "platform": "node",
   "first_seen": "2026-11-27T19:17:53.622Z",
   "last_seen": "2026-11-27T19:17:53.622Z",
   "first_crash_at": "2026-11-27T19:17:53.622Z",
   "releases": [
    "0a561bf1e0330fa1cc892d1014224a36930d5bbd"
   ],
   "environments": [],
   "place": {
    "function": "total",
    "file": "src/cart.js",
    "line": 4
   },
   "doors": [
    "embedded"
   ],
   "sources": [
    {
     "door": "embedded",
     "trust": "trusted",
     "occurrences": 1,
     "trackers": [
      "embedded"
     ],
     "first_seen": "2026-11-27T19:17:53.622Z",
     "last_seen": "2026-11-27T19:17:53.622Z",
     "event_id": "crash-1"
    }
   ],
   "revision": {
    "sha": "0a561bf1e0330fa1cc892d1014224a36930d5bbd",
    "how": "release"
   },
   "no_suspect": null,
   "publication": {
    "issue_url": "https://culprit.example/outbox/1",
    "number": 1,
    "published_at": "2026-11-27T19:17:54.030Z",
    "digest": "49a8daa86ed36b790d1950d1db85fbf198de869a850e60ad64db07c02d98dfff",
    "divergence": []
   },
   "regression_of": null,
   "last_error": null,
   "generation": 1,
   "cycle": 1,
   "version": 14,
   "updated_at": "2026-11-27T19:17:54.124Z",
   "users": {
    "count": 0,
    "more": false
   },
   "comments": 2,
   "remarks": 4,
   "claim": null,
   "snooze": null,
   "approved_by": "ada",
   "suspects": [
    {
     "sha": "f6ba4615e9c5d0f897169b372d5311bb7b245263",
     "author": {
      "name": "Grace"
     },
     "committed_at": "2026-10-05T10:00:00.000Z",
     "title": "feat: totals carry tax",
     "url": null,
     "score": 9.802,
     "components": {
      "near": 2,
      "sure": 2.5,
      "function": 0.078,
      "newest_owner": 1.029,
      "recency": -2.022,
      "history": 1.148,
      "touches_file": 0.691,
      "message": 0.0683,
      "source_added": 0.1856,
      "edits_function": 0.498,
      "sweep": -0.0555,
      "touches_dir": 1.156,
      "newest": 1.0256,
      "clear_line": 1.5
     },
     "probability": 0.9956,
     "verdict": "recent",
     "unrated": {
      "code": "few_commits",
      "commits": 100
     },
     "reasons": [
      {
       "code": "last_changed_line",
       "path": "src/cart.js",
       "line": 4,
       "role": "crashed",
       "text": "last changed line 4 of `src/cart.js`, the crashed line"
      }
     ],
     "frames": [
      1
     ],
     "hunk": {
      "path": "src/cart.js",
      "header": "@@ -1,5 +1,5 @@",
      "lines": [
       {
        "kind": "context",
        "text": "// <b>not markup</b> & \"quotes\"",
        "line": 1,
        "crashed": false
       }
      ]
     },
     "pull_request": null
    }
   ],
   "draft": {
    "repository": "/srv/shop",
    "title": "TypeError: boom 1 (edited)",
    "body": "### What happened\n\n`TypeError`: `boom 1`\n\nCrashed in `total` at [`src/cart.js:4`](https://culprit.example/code/default/0a561bf1e0330fa1cc892d1014224a36930d5bbd/s…",
    "labels": [
     "culprit"
    ],
    "assignees": [],
    "digest": "49a8daa86ed36b790d1950d1db85fbf198de869a850e60ad64db07c02d98dfff",
    "edited_by": "ada",
    "trust": "trusted"
   },
   "ownership": null,
   "explanation": {
    "source": "model",
    "model": "qwen3-8b",
    "claims": [
     {
      "text": "A value is read before it is known to be there.",
      "cites": [
       {
        "evidence": "run",
        "quote": "seen once, first 2026-11-27T19:17:53.622Z, last 2026-11-27T19:17:53.622Z"
       }
      ]
     }
    ],
    "insufficient": false,
    "note": "Removed 2 of 4 claims because their quotes are not in the evidence."
   },
   "event": {
    "event_id": "crash-1",
    "project": "default",
    "door": "embedded",
    "trust": "trusted",
    "tracker": "embedded",
    "timestamp": "2026-11-27T19:17:53.622Z",
    "received_at": "2026-11-27T19:17:53.622Z",
    "level": "error",
    "platform": "node",
    "message": "boom 1",
    "message_template": null,
    "exceptions": [
     {
      "type": "TypeError",
      "value": "boom 1",
      "module": null,
      "handled": null,
      "synthetic": false,
      "mechanism": null,
      "frames": [
       {
        "file": "src/checkout.js",
        "abs_path": null,
        "module": null,
        "package": null,
        "function": "pay",
        "line": 2,
        "column": 29,
        "in_app": true,
        "platform": null,
        "context_line": null,
        "pre_context": [],
        "post_context": [],
        "vars": null,
        "instruction_addr": null
       }
      ]
     }
    ],
    "release": "0a561bf1e0330fa1cc892d1014224a36930d5bbd",
    "dist": null,
    "environment": null,
    "commit": null,
    "server_name": null,
    "transaction": null,
    "logger": null,
    "tags": {},
    "user": null,
    "request": null,
    "contexts": {},
    "breadcrumbs": [],
    "extra": {},
    "modules": {},
    "fingerprint": [
     "own-1"
    ],
    "sdk": null,
    "attachments": [],
    "trimmed": [],
    "redactions": 0,
    "raw_sha256": null
   },
   "resolution": {
    "as": "fixed",
    "by": "ada",
    "at": "2026-11-27T19:17:54.124Z",
    "not_in": [
     "0a561bf1e0330fa1cc892d1014224a36930d5bbd"
    ]
   },
   "follow_up": null
  }
 },
 "revokeToken": {
  "status": 200,
  "answer": {
   "revoked": [
    {
     "id": "tok_715565df0d6f4325",
     "name": "ci"
    }
   ]
  }
 },
 "saveView": {
  "body": {
   "name": "Fatal",
   "address": "?search=level%3Afatal"
  },
  "status": 200,
  "answer": {
   "views": [
    {
     "name": "Fatal",
     "address": "?search=level%3Afatal"
    }
   ]
  }
 },
 "snoozeRun": {
  "body": {
   "until": {
    "kind": "release"
   },
   "reason": "Fixed in the next one."
  },
  "status": 200,
  "answer": {
   "run_id": "run_01m8f72nat9q9q217fykhmtme8",
   "project": "default",
   "state": "snoozed",
   "fingerprint": {
    "version": "v2",
    "hash": "f86e55965ed66688ffdff97a7ab1033ce75cc68e7c626eeca595cb3c6385abc1",
    "parts": [
     "custom own-1"
    ]
   },
   "occurrences": 1,
   "title": "TypeError: boom 1",
   "level": "error",
   "platform": "node",
   "first_seen": "2026-11-27T19:17:53.622Z",
   "last_seen": "2026-11-27T19:17:53.622Z",
   "first_crash_at": "2026-11-27T19:17:53.622Z",
   "releases": [
    "0a561bf1e0330fa1cc892d1014224a36930d5bbd"
   ],
   "environments": [],
   "place": {
    "function": "total",
    "file": "src/cart.js",
    "line": 4
   },
   "doors": [
    "embedded"
   ],
   "sources": [
    {
     "door": "embedded",
     "trust": "trusted",
     "occurrences": 1,
     "trackers": [
      "embedded"
     ],
     "first_seen": "2026-11-27T19:17:53.622Z",
     "last_seen": "2026-11-27T19:17:53.622Z",
     "event_id": "crash-1"
    }
   ],
   "revision": null,
   "no_suspect": null,
   "publication": null,
   "regression_of": null,
   "last_error": null,
   "generation": 1,
   "cycle": 1,
   "version": 5,
   "updated_at": "2026-11-27T19:17:53.759Z",
   "users": {
    "count": 0,
    "more": false
   },
   "comments": 1,
   "remarks": 3,
   "claim": null,
   "suspects": [],
   "draft": null,
   "explanation": null,
   "event": {
    "event_id": "crash-1",
    "project": "default",
    "door": "embedded",
    "trust": "trusted",
    "tracker": "embedded",
    "timestamp": "2026-11-27T19:17:53.622Z",
    "received_at": "2026-11-27T19:17:53.622Z",
    "level": "error",
    "platform": "node",
    "message": "boom 1",
    "message_template": null,
    "exceptions": [
     {
      "type": "TypeError",
      "value": "boom 1",
      "module": null,
      "handled": null,
      "synthetic": false,
      "mechanism": null,
      "frames": [
       {
        "file": "src/checkout.js",
        "abs_path": null,
        "module": null,
        "package": null,
        "function": "pay",
        "line": 2,
        "column": 29,
        "in_app": true,
        "platform": null,
        "context_line": null,
        "pre_context": [],
        "post_context": [],
        "vars": null,
        "instruction_addr": null
       }
      ]
     }
    ],
    "release": "0a561bf1e0330fa1cc892d1014224a36930d5bbd",
    "dist": null,
    "environment": null,
    "commit": null,
    "server_name": null,
    "transaction": null,
    "logger": null,
    "tags": {},
    "user": null,
    "request": null,
    "contexts": {},
    "breadcrumbs": [],
    "extra": {},
    "modules": {},
    "fingerprint": [
     "own-1"
    ],
    "sdk": null,
    "attachments": [],
    "trimmed": [],
    "redactions": 0,
    "raw_sha256": null
   },
   "snooze": {
    "from": "staged_raw",
    "by": "ada",
    "at": "2026-11-27T19:17:53.759Z",
    "until": {
     "kind": "release"
    }
   }
  }
 },
 "splitRun": {
  "status": 200,
  "answer": {
   "run": {
    "run_id": "run_01m8f72nb2fsm6ry68yrka0h10",
    "project": "default",
    "state": "staged_raw",
    "fingerprint": {
     "version": "v2",
     "hash": "fc692a8bca9ec86f58051809fca7c59d03928d8a89f8d8a842820688adf3ec5a",
     "parts": [
      "custom own-3"
     ]
    },
    "occurrences": 1,
    "title": "TypeError: boom 3",
    "level": "error",
    "platform": "node",
    "first_seen": "2026-11-27T19:17:53.634Z",
    "last_seen": "2026-11-27T19:17:53.634Z",
    "first_crash_at": "2026-11-27T19:17:53.634Z",
    "releases": [
     "0a561bf1e0330fa1cc892d1014224a36930d5bbd"
    ],
    "environments": [],
    "place": {
     "function": "total",
     "file": "src/cart.js",
     "line": 4
    },
    "doors": [
     "embedded"
    ],
    "sources": [
     {
      "door": "embedded",
      "trust": "trusted",
      "occurrences": 1,
      "trackers": [
       "embedded"
      ],
      "first_seen": "2026-11-27T19:17:53.634Z",
      "last_seen": "2026-11-27T19:17:53.634Z",
      "event_id": "crash-3"
     }
    ],
    "revision": null,
    "no_suspect": null,
    "publication": null,
    "regression_of": null,
    "last_error": null,
    "generation": 1,
    "cycle": 2,
    "version": 3,
    "updated_at": "2026-11-27T19:17:54.140Z",
    "users": {
     "count": 0,
     "more": false
    },
    "merged_into": null,
    "suspects": [],
    "draft": null,
    "explanation": null,
    "event": {
     "event_id": "crash-3",
     "project": "default",
     "door": "embedded",
     "trust": "trusted",
     "tracker": "embedded",
     "timestamp": "2026-11-27T19:17:53.634Z",
     "received_at": "2026-11-27T19:17:53.634Z",
     "level": "error",
     "platform": "node",
     "message": "boom 3",
     "message_template": null,
     "exceptions": [
      {
       "type": "TypeError",
       "value": "boom 3",
       "module": null,
       "handled": null,
       "synthetic": false,
       "mechanism": null,
       "frames": [
        {
         "file": "src/checkout.js",
         "abs_path": null,
         "module": null,
         "package": null,
         "function": "pay",
         "line": 2,
         "column": 29,
         "in_app": true,
         "platform": null,
         "context_line": null,
         "pre_context": [],
         "post_context": [],
         "vars": null,
         "instruction_addr": null
        }
       ]
      }
     ],
     "release": "0a561bf1e0330fa1cc892d1014224a36930d5bbd",
     "dist": null,
     "environment": null,
     "commit": null,
     "server_name": null,
     "transaction": null,
     "logger": null,
     "tags": {},
     "user": null,
     "request": null,
     "contexts": {},
     "breadcrumbs": [],
     "extra": {},
     "modules": {},
     "fingerprint": [
      "own-3"
     ],
     "sdk": null,
     "attachments": [],
     "trimmed": [],
     "redactions": 0,
     "raw_sha256": null
    }
   },
   "into": {
    "run_id": "run_01m8f72nb013qz8pxn8ag4tepz",
    "project": "default",
    "state": "staged_raw",
    "fingerprint": {
     "version": "v2",
     "hash": "eae3e735f2186c610526c0015e0dfc3a55fba921fa4d6e947673af2654e32bd0",
     "parts": [
      "custom own-2"
     ]
    },
    "occurrences": 1,
    "title": "TypeError: boom 2",
    "level": "error",
    "platform": "node",
    "first_seen": "2026-11-27T19:17:53.632Z",
    "last_seen": "2026-11-27T19:17:53.632Z",
    "first_crash_at": "2026-11-27T19:17:53.632Z",
    "releases": [
     "0a561bf1e0330fa1cc892d1014224a36930d5bbd"
    ],
    "environments": [],
    "place": {
     "function": "total",
     "file": "src/cart.js",
     "line": 4
    },
    "doors": [
     "embedded"
    ],
    "sources": [
     {
      "door": "embedded",
      "trust": "trusted",
      "occurrences": 1,
      "trackers": [
       "embedded"
      ],
      "first_seen": "2026-11-27T19:17:53.632Z",
      "last_seen": "2026-11-27T19:17:53.632Z",
      "event_id": "crash-2"
     }
    ],
    "revision": null,
    "no_suspect": null,
    "publication": null,
    "regression_of": null,
    "last_error": null,
    "generation": 1,
    "cycle": 2,
    "version": 5,
    "updated_at": "2026-11-27T19:17:54.140Z",
    "users": {
     "count": 0,
     "more": false
    },
    "approved_by": null,
    "suspects": [],
    "draft": null,
    "explanation": null,
    "event": {
     "event_id": "crash-2",
     "project": "default",
     "door": "embedded",
     "trust": "trusted",
     "tracker": "embedded",
     "timestamp": "2026-11-27T19:17:53.632Z",
     "received_at": "2026-11-27T19:17:53.632Z",
     "level": "error",
     "platform": "node",
     "message": "boom 2",
     "message_template": null,
     "exceptions": [
      {
       "type": "TypeError",
       "value": "boom 2",
       "module": null,
       "handled": null,
       "synthetic": false,
       "mechanism": null,
       "frames": [
        {
         "file": "src/checkout.js",
         "abs_path": null,
         "module": null,
         "package": null,
         "function": "pay",
         "line": 2,
         "column": 29,
         "in_app": true,
         "platform": null,
         "context_line": null,
         "pre_context": [],
         "post_context": [],
         "vars": null,
         "instruction_addr": null
        }
       ]
      }
     ],
     "release": "0a561bf1e0330fa1cc892d1014224a36930d5bbd",
     "dist": null,
     "environment": null,
     "commit": null,
     "server_name": null,
     "transaction": null,
     "logger": null,
     "tags": {},
     "user": null,
     "request": null,
     "contexts": {},
     "breadcrumbs": [],
     "extra": {},
     "modules": {},
     "fingerprint": [
      "own-2"
     ],
     "sdk": null,
     "attachments": [],
     "trimmed": [],
     "redactions": 0,
     "raw_sha256": null
    }
   }
  }
 },
 "unresolveRun": {
  "status": 200,
  "answer": {
   "run_id": "run_01m8f72nat9q9q217fykhmtme8",
   "project": "default",
   "state": "published",
   "fingerprint": {
    "version": "v2",
    "hash": "f86e55965ed66688ffdff97a7ab1033ce75cc68e7c626eeca595cb3c6385abc1",
    "parts": [
     "custom own-1"
    ]
   },
   "occurrences": 1,
   "title": "TypeError: boom 1",
   "level": "error",
   "platform": "node",
   "first_seen": "2026-11-27T19:17:53.622Z",
   "last_seen": "2026-11-27T19:17:53.622Z",
   "first_crash_at": "2026-11-27T19:17:53.622Z",
   "releases": [
    "0a561bf1e0330fa1cc892d1014224a36930d5bbd"
   ],
   "environments": [],
   "place": {
    "function": "total",
    "file": "src/cart.js",
    "line": 4
   },
   "doors": [
    "embedded"
   ],
   "sources": [
    {
     "door": "embedded",
     "trust": "trusted",
     "occurrences": 1,
     "trackers": [
      "embedded"
     ],
     "first_seen": "2026-11-27T19:17:53.622Z",
     "last_seen": "2026-11-27T19:17:53.622Z",
     "event_id": "crash-1"
    }
   ],
   "revision": {
    "sha": "0a561bf1e0330fa1cc892d1014224a36930d5bbd",
    "how": "release"
   },
   "no_suspect": null,
   "publication": {
    "issue_url": "https://culprit.example/outbox/1",
    "number": 1,
    "published_at": "2026-11-27T19:17:54.030Z",
    "digest": "49a8daa86ed36b790d1950d1db85fbf198de869a850e60ad64db07c02d98dfff",
    "divergence": []
   },
   "regression_of": null,
   "last_error": null,
   "generation": 1,
   "cycle": 1,
   "version": 15,
   "updated_at": "2026-11-27T19:17:54.127Z",
   "users": {
    "count": 0,
    "more": false
   },
   "comments": 2,
   "remarks": 4,
   "claim": null,
   "snooze": null,
   "approved_by": "ada",
   "resolution": null,
   "follow_up": null,
   "suspects": [
    {
     "sha": "f6ba4615e9c5d0f897169b372d5311bb7b245263",
     "author": {
      "name": "Grace"
     },
     "committed_at": "2026-10-05T10:00:00.000Z",
     "title": "feat: totals carry tax",
     "url": null,
     "score": 9.802,
     "components": {
      "near": 2,
      "sure": 2.5,
      "function": 0.078,
      "newest_owner": 1.029,
      "recency": -2.022,
      "history": 1.148,
      "touches_file": 0.691,
      "message": 0.0683,
      "source_added": 0.1856,
      "edits_function": 0.498,
      "sweep": -0.0555,
      "touches_dir": 1.156,
      "newest": 1.0256,
      "clear_line": 1.5
     },
     "probability": 0.9956,
     "verdict": "recent",
     "unrated": {
      "code": "few_commits",
      "commits": 100
     },
     "reasons": [
      {
       "code": "last_changed_line",
       "path": "src/cart.js",
       "line": 4,
       "role": "crashed",
       "text": "last changed line 4 of `src/cart.js`, the crashed line"
      }
     ],
     "frames": [
      1
     ],
     "hunk": {
      "path": "src/cart.js",
      "header": "@@ -1,5 +1,5 @@",
      "lines": [
       {
        "kind": "context",
        "text": "// <b>not markup</b> & \"quotes\"",
        "line": 1,
        "crashed": false
       }
      ]
     },
     "pull_request": null
    }
   ],
   "draft": {
    "repository": "/srv/shop",
    "title": "TypeError: boom 1 (edited)",
    "body": "### What happened\n\n`TypeError`: `boom 1`\n\nCrashed in `total` at [`src/cart.js:4`](https://culprit.example/code/default/0a561bf1e0330fa1cc892d1014224a36930d5bbd/s…",
    "labels": [
     "culprit"
    ],
    "assignees": [],
    "digest": "49a8daa86ed36b790d1950d1db85fbf198de869a850e60ad64db07c02d98dfff",
    "edited_by": "ada",
    "trust": "trusted"
   },
   "ownership": null,
   "explanation": {
    "source": "model",
    "model": "qwen3-8b",
    "claims": [
     {
      "text": "A value is read before it is known to be there.",
      "cites": [
       {
        "evidence": "run",
        "quote": "seen once, first 2026-11-27T19:17:53.622Z, last 2026-11-27T19:17:53.622Z"
       }
      ]
     }
    ],
    "insufficient": false,
    "note": "Removed 2 of 4 claims because their quotes are not in the evidence."
   },
   "event": {
    "event_id": "crash-1",
    "project": "default",
    "door": "embedded",
    "trust": "trusted",
    "tracker": "embedded",
    "timestamp": "2026-11-27T19:17:53.622Z",
    "received_at": "2026-11-27T19:17:53.622Z",
    "level": "error",
    "platform": "node",
    "message": "boom 1",
    "message_template": null,
    "exceptions": [
     {
      "type": "TypeError",
      "value": "boom 1",
      "module": null,
      "handled": null,
      "synthetic": false,
      "mechanism": null,
      "frames": [
       {
        "file": "src/checkout.js",
        "abs_path": null,
        "module": null,
        "package": null,
        "function": "pay",
        "line": 2,
        "column": 29,
        "in_app": true,
        "platform": null,
        "context_line": null,
        "pre_context": [],
        "post_context": [],
        "vars": null,
        "instruction_addr": null
       }
      ]
     }
    ],
    "release": "0a561bf1e0330fa1cc892d1014224a36930d5bbd",
    "dist": null,
    "environment": null,
    "commit": null,
    "server_name": null,
    "transaction": null,
    "logger": null,
    "tags": {},
    "user": null,
    "request": null,
    "contexts": {},
    "breadcrumbs": [],
    "extra": {},
    "modules": {},
    "fingerprint": [
     "own-1"
    ],
    "sdk": null,
    "attachments": [],
    "trimmed": [],
    "redactions": 0,
    "raw_sha256": null
   }
  }
 },
 "verifyPublication": {
  "status": 200,
  "answer": {
   "run_id": "run_01m8f72nat9q9q217fykhmtme8",
   "issue_url": "https://culprit.example/outbox/1",
   "verified": true,
   "derived_digest": "55a5b4d2ee1c042f16daed3c372532e47557264aae1806e141511b7e43232f5c",
   "machine_digest": "55a5b4d2ee1c042f16daed3c372532e47557264aae1806e141511b7e43232f5c",
   "signed_digest": "49a8daa86ed36b790d1950d1db85fbf198de869a850e60ad64db07c02d98dfff",
   "steps": [
    {
     "name": "evidence",
     "ok": true,
     "detail": "the evidence reproduces the generated draft"
    }
   ]
  }
 },
 "wakeRun": {
  "status": 200,
  "answer": {
   "run_id": "run_01m8f72nat9q9q217fykhmtme8",
   "project": "default",
   "state": "staged_raw",
   "fingerprint": {
    "version": "v2",
    "hash": "f86e55965ed66688ffdff97a7ab1033ce75cc68e7c626eeca595cb3c6385abc1",
    "parts": [
     "custom own-1"
    ]
   },
   "occurrences": 1,
   "title": "TypeError: boom 1",
   "level": "error",
   "platform": "node",
   "first_seen": "2026-11-27T19:17:53.622Z",
   "last_seen": "2026-11-27T19:17:53.622Z",
   "first_crash_at": "2026-11-27T19:17:53.622Z",
   "releases": [
    "0a561bf1e0330fa1cc892d1014224a36930d5bbd"
   ],
   "environments": [],
   "place": {
    "function": "total",
    "file": "src/cart.js",
    "line": 4
   },
   "doors": [
    "embedded"
   ],
   "sources": [
    {
     "door": "embedded",
     "trust": "trusted",
     "occurrences": 1,
     "trackers": [
      "embedded"
     ],
     "first_seen": "2026-11-27T19:17:53.622Z",
     "last_seen": "2026-11-27T19:17:53.622Z",
     "event_id": "crash-1"
    }
   ],
   "revision": null,
   "no_suspect": null,
   "publication": null,
   "regression_of": null,
   "last_error": null,
   "generation": 1,
   "cycle": 1,
   "version": 6,
   "updated_at": "2026-11-27T19:17:53.765Z",
   "users": {
    "count": 0,
    "more": false
   },
   "comments": 1,
   "remarks": 3,
   "claim": null,
   "snooze": null,
   "suspects": [],
   "draft": null,
   "explanation": null,
   "event": {
    "event_id": "crash-1",
    "project": "default",
    "door": "embedded",
    "trust": "trusted",
    "tracker": "embedded",
    "timestamp": "2026-11-27T19:17:53.622Z",
    "received_at": "2026-11-27T19:17:53.622Z",
    "level": "error",
    "platform": "node",
    "message": "boom 1",
    "message_template": null,
    "exceptions": [
     {
      "type": "TypeError",
      "value": "boom 1",
      "module": null,
      "handled": null,
      "synthetic": false,
      "mechanism": null,
      "frames": [
       {
        "file": "src/checkout.js",
        "abs_path": null,
        "module": null,
        "package": null,
        "function": "pay",
        "line": 2,
        "column": 29,
        "in_app": true,
        "platform": null,
        "context_line": null,
        "pre_context": [],
        "post_context": [],
        "vars": null,
        "instruction_addr": null
       }
      ]
     }
    ],
    "release": "0a561bf1e0330fa1cc892d1014224a36930d5bbd",
    "dist": null,
    "environment": null,
    "commit": null,
    "server_name": null,
    "transaction": null,
    "logger": null,
    "tags": {},
    "user": null,
    "request": null,
    "contexts": {},
    "breadcrumbs": [],
    "extra": {},
    "modules": {},
    "fingerprint": [
     "own-1"
    ],
    "sdk": null,
    "attachments": [],
    "trimmed": [],
    "redactions": 0,
    "raw_sha256": null
   }
  }
 }
};
