import { clockDiffers } from '../../domain/crash-time.js';
import { fixName } from '../../domain/fix.js';
import { commitsText, durationText } from '../../domain/release.js';
import { REVISION_SOURCE_WORDS } from '../../domain/run.js';
import { trustMix } from '../../domain/source.js';
import type { TextScrubber } from '../scrub-text.js';
import type { DraftSource, DraftText, Section } from './draft-source.js';
import { shortFunction } from './frame-place.js';
import { codeSpan, fence, link, permanentLink, safeUrl } from './safe-markdown.js';
import { clip } from './visible.js';

const LISTED = 5;
const LONG_VALUE = 200;

export function whatHappened(source: DraftText): readonly Section[] {
  const sections: Section[] = [{ name: 'what happened', expendable: 0, text: summary(source) }];
  const long = longMessage(source);
  if (long !== null) sections.push({ name: 'the full message', expendable: 8, text: long });
  return sections;
}

function summary(source: DraftText): string {
  const parts = ['### What happened', headline(source), facts(source), trustNote(source)];
  return parts.filter((part) => part !== null).join('\n\n');
}

function headline({ event, thrown, incident, located, links, revision, scrub }: DraftText): string {
  const { type, value } = thrown?.exception ??
    event.exceptions.at(-1) ?? { type: null, value: event.message };
  const parts = [type, value ?? event.message].flatMap((part) => (part ? codeSpan(scrub(part)) : []));
  const error = parts.length > 0 ? parts.join(': ') : codeSpan(scrub(incident.title));
  const crashed = located[0];
  if (crashed === undefined) return error;
  const name =
    crashed.function === null ? '' : ` in ${codeSpan(shortFunction(scrub(crashed.function)), 120)}`;
  const { path, line } = crashed;
  const url = revision && permanentLink(links.line, { sha: revision.sha, path, line });
  const place = link(codeSpan(`${path}:${line}`), url);
  return [error, `Crashed${name} at ${place}.`].join('\n\n');
}

/** How urgent the crash is and which code ran. */
function facts(source: DraftText): string {
  const { incident, event, earlierIssue, scrub } = source;
  const facts = [seen(incident)];
  // Evidence of older versions has the sender's time as the time of the run.
  if (incident.sources !== undefined && clockDiffers(event))
    facts.push(`**Sender’s clock** ${utc(event.timestamp)}, received ${utc(event.received_at)}`);
  const releases = listOf(incident.releases, scrub);
  const commit = crashedCommit(source);
  const same = releaseIsCommit(source);
  if (same !== null) facts.push(`**Release** ${same}`);
  else if (releases !== null)
    facts.push([`**Release** ${releases}`, ...(commit ? [`commit ${commit}`] : [])].join(', '));
  else if (commit !== null) facts.push(`**Commit** ${commit}`);
  const deployed = deployFact(source);
  if (deployed !== null) facts.splice(1, 0, deployed);
  const environments = listOf(incident.environments, scrub);
  if (environments !== null) facts.push(`**Environment** ${environments}`);
  if (event.transaction !== null) facts.push(`**Transaction** ${codeSpan(scrub(event.transaction), 120)}`);
  if (incident.regression_of !== null) {
    const run = `run ${codeSpan(incident.regression_of, 80)}`;
    const issue = earlierIssue && link(`issue ${Math.trunc(earlierIssue.number)}`, safeUrl(earlierIssue.url));
    facts.unshift(
      `**Regression** of ${issue ? `${issue} (${run})` : `the issue of ${run}`}, which was ${earlierIssue?.marked_fixed ? 'marked as fixed' : 'closed'}${fixedBy(source)}`,
    );
  }
  return facts.map((fact) => `- ${fact}`).join('\n');
}

/** `4 minutes after the deploy of release 2.4.1 to production, which brought 12 commits` */
function deployFact({ release_window, scrub }: DraftText): string | null {
  if (!release_window?.deploy) return null;
  const { version, commits, more_commits, deploy } = release_window;
  const where = `release ${codeSpan(scrub(version), 100)} to ${codeSpan(scrub(deploy.environment), 60)}`;
  const brought = commits === null ? '' : `, which brought ${commitsText(commits, more_commits)}`;
  return `**First crash** ${durationText(deploy.after_ms)} after the deploy of ${where}${brought}`;
}

/** As code: a plain number would write a reference into the pull request. */
function fixedBy({ earlierIssue, scrub }: DraftText): string {
  const { fix, fixed_in } = earlierIssue ?? {};
  if (!fix) return '';
  const release = fixed_in === undefined ? '' : `, first released in ${codeSpan(scrub(fixed_in), 100)}`;
  return ` by ${codeSpan(fixName(fix), 60)}${release}`;
}

function seen({ occurrences, first_seen, last_seen }: DraftSource['incident']): string {
  if (occurrences === 1) return `**Seen** once, ${utc(last_seen)}`;
  const times = `**Seen** ${occurrences} times`;
  return utc(first_seen) === utc(last_seen)
    ? `${times}, all at ${utc(last_seen)}`
    : `${times}, first ${utc(first_seen)}, last ${utc(last_seen)}`;
}

function listOf(values: readonly string[], scrub: TextScrubber): string | null {
  if (values.length === 0) return null;
  const shown = values.slice(-LISTED).map((value) => codeSpan(scrub(value), 100));
  const more = values.length > LISTED ? ` and ${values.length - LISTED} more` : '';
  return `${shown.join(', ')}${more}`;
}

function crashedCommit({ revision, links }: DraftSource): string | null {
  if (revision === null) return null;
  const name = codeSpan(revision.sha.slice(0, 12));
  return `${link(name, permanentLink(links.commit, { sha: revision.sha }))} (${REVISION_SOURCE_WORDS[revision.how]})`;
}

/** The only release as a link to the commit that it names in full, such as `shop@0a56…`. */
function releaseIsCommit({ incident, revision, links, scrub }: DraftText): string | null {
  const [release] = incident.releases;
  if (release === undefined || incident.releases.length > 1 || revision === null) return null;
  if (!release.endsWith(revision.sha)) return null;
  return link(codeSpan(scrub(release), 100), permanentLink(links.commit, { sha: revision.sha }));
}

function longMessage({ event, thrown, scrub }: DraftText): string | null {
  const value = thrown?.exception.value ?? event.message;
  if (value === null || (value.length <= LONG_VALUE && !value.includes('\n'))) return null;
  return `<details><summary>Full message</summary>\n\n${fence(clip(scrub(value), 4_000), 'text')}\n\n</details>`;
}

/** `2026-01-05 09:00:00 UTC` in every locale. Only ISO 8601 is accepted, because `Date.parse` finds a year in almost any text. */
export function utc(iso: string): string {
  const time = /^\d{4}-\d\d-\d\dT/.test(iso) ? Date.parse(iso) : Number.NaN;
  if (Number.isNaN(time)) return codeSpan(iso, 40);
  const text = new Date(time).toISOString();
  return `${text.slice(0, 10)} ${text.slice(11, 19)} UTC`;
}

const CHECK = 'Check that it is real before you act on it.';

/** Warns if anyone could have sent some of the crashes; `null` if every one is trusted. */
function trustNote({ incident }: Pick<DraftSource, 'incident'>): string | null {
  const { doors, sources } = incident;
  const onlySdk = doors.length > 0 && doors.every((door) => door === 'sdk');
  if (onlySdk) {
    return `> This crash was reported only through the SDK door. SDK keys are public, so anyone could have sent it. ${CHECK}`;
  }
  // Evidence of older versions.
  if (sources === undefined) return null;
  const { kind, untrusted, unknown } = trustMix(incident);
  if (kind === 'trusted') return null;
  if (kind === 'untrusted') {
    return `> This crash was reported only with public keys, so anyone could have sent it. ${CHECK}`;
  }
  if (unknown > 0) {
    return (
      '> Some of these crashes were reported with a public key, so anyone could have sent them. An older version of Culprit did ' +
      `not separate them from the trusted ones. ${CHECK}`
    );
  }
  return (
    `> ${untrusted} of ${incident.occurrences} crashes ${untrusted === 1 ? 'was' : 'were'} reported with a public key, which anyone ` +
    'may have. Such crashes are only counted: everything else in this issue is from trusted ones.'
  );
}
