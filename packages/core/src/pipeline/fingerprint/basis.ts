import type { CrashException, Event, Frame } from '../../domain/event.js';
import { printsCauses } from './frame-key.js';
import { parameterise } from './parameterise.js';

/** A frame that counts. */
export interface Place {
  readonly key: string;
  readonly frame: Frame;
}
/** The places of an exception, oldest first; empty if it has no stack. */
export type PlacesOf = (exception: CrashException) => readonly Place[];

/** Where a crash happened, or what it said, without what another form of it may lack. */
export interface Basis {
  readonly strategy: 'stack' | 'message' | 'type' | 'place';
  readonly parts: readonly string[];
  /** The exceptions that count, with their places. */
  readonly stacks: readonly { readonly exception: CrashException; readonly places: readonly Place[] }[];
  /** The exception whose message or type counts. */
  readonly thrown: CrashException | undefined;
}

/**
 * With a stack, the places in the project's own code (in all code if it has none) count, for each exception of the chain in
 * order; for JavaScript only for the outermost error. Without a stack the message counts, without its parameters.
 */
export function basisOf(event: Event, placesOf: PlacesOf): Basis {
  const known = new Map<CrashException, readonly Place[]>();
  const places = (item: CrashException) => {
    const found = known.get(item) ?? placesOf(item);
    known.set(item, found);
    return found;
  };
  const head = headsWithin(LIKENESS_CHARS);
  const likeness = (item: CrashException) => [...places(item).map(partOf), head(item)].join('\n');
  const chain = groupingChain(event.exceptions, likeness);
  const found = chain.map((exception) => ({ exception, places: places(exception) }));
  const stacks = found.filter((one) => one.places.length > 0);
  const counted = printsCauses(event.platform) ? stacks : stacks.slice(-1);
  const thrown = chain.at(-1);
  if (counted.length > 0) return { strategy: 'stack', parts: partsOf(counted), stacks: counted, thrown };
  const template = event.message_template ?? thrown?.value ?? event.message;
  const message = parameterise(withoutType(template ?? ''));
  const of = (strategy: Basis['strategy'], part: string) => ({ strategy, parts: [part], stacks: [], thrown });
  if (message !== '') return of('message', `message ${message}`);
  const type = thrown?.type ?? null;
  return type === null
    ? of('place', `transaction ${event.transaction ?? 'unknown'}`)
    : of('type', `exception ${type}`);
}

const partOf = ({ key }: Place) => `frame ${key}`;
/** The part between the stacks of two exceptions. */
export const THEN = 'then';
const partsOf = (stacks: Basis['stacks']) =>
  stacks.flatMap(({ places }, at) => [...(at === 0 ? [] : [THEN]), ...places.map(partOf)]);

/** Characters of a group's messages that are compared without their parameters: those of fifty long messages cost too much. */
const LIKENESS_CHARS = 4_096;

/** The type and message of an exception, without parameters as long as `left` characters suffice. */
function headsWithin(left: number): (item: CrashException) => string {
  let room = left;
  return ({ type, value }) => {
    const text = value ?? '';
    room -= text.length;
    return `${type ?? ''}: ${room < 0 ? text : parameterise(text)}`;
  };
}

/** A message may begin with the type that other forms send separately. */
const withoutType = (message: string) =>
  message.replace(
    /^(?:Uncaught )?[A-Za-z_$][\w$.]{0,200}(?:Error|Exception|Failure|Fault)(?: \[\w{1,64}\])?: /,
    '',
  );

interface Node {
  readonly exception: CrashException;
  readonly id: number;
  readonly parent: number | null;
  readonly group: boolean;
}

/**
 * The exceptions that identify what happened. If all members of an exception group are alike, one member; otherwise
 * the distinct members and the group. Without a group, or if ids and parents are not a tree: all, in order. Suppressed
 * exceptions do not count.
 */
function groupingChain(
  exceptions: readonly CrashException[],
  likeness: (exception: CrashException) => string,
): readonly CrashException[] {
  const raised = exceptions.filter(({ mechanism }) => mechanism?.type !== 'suppressed');
  const nodes = treeOf(raised);
  const root = nodes?.find(({ parent }) => parent === null);
  if (nodes === null || root === undefined || !root.group) return raised;
  const seen = new Set<string>();
  const distinct = topLevel(nodes, root).filter(({ exception }) => {
    const key = likeness(exception);
    return seen.has(key) ? false : seen.add(key);
  });
  const members = distinct.map(({ exception }) => exception);
  return members.length === 1 ? members : [...members, root.exception];
}

function treeOf(exceptions: readonly CrashException[]): readonly Node[] | null {
  const nodes: Node[] = [];
  const ids = new Set<number>();
  for (const exception of exceptions) {
    const { exception_id: id, parent_id: parent, is_exception_group: group } = exception.mechanism ?? {};
    if (typeof id !== 'number' || ids.has(id)) return null;
    ids.add(id);
    nodes.push({ exception, id, parent: typeof parent === 'number' ? parent : null, group: group === true });
  }
  const sound = nodes.every(({ id, parent }) => parent === null || (parent < id && ids.has(parent)));
  return sound && nodes.filter(({ parent }) => parent === null).length === 1 ? nodes : null;
}

/** Members of the root and of nested groups, without the causes of members. */
function topLevel(nodes: readonly Node[], root: Node): readonly Node[] {
  const groups = new Set([root.id]);
  const found: Node[] = [];
  for (const node of [...nodes].sort((one, other) => one.id - other.id)) {
    if (node.parent === null || !groups.has(node.parent)) continue;
    if (node.group) groups.add(node.id);
    else found.push(node);
  }
  return found.reverse();
}
