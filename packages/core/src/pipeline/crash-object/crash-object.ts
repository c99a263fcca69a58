import * as v from 'valibot';

const text = v.nullish(v.string());
const integer = v.nullish(v.pipe(v.number(), v.integer()));
const scalar = v.union([v.string(), v.number(), v.boolean(), v.null()]);
const anyObject = v.nullish(v.record(v.string(), v.unknown()));
const lines = v.nullish(v.array(v.nullish(v.string())));
const pairs = v.array(v.nullish(v.tuple([scalar, scalar])));
const address = v.nullish(v.union([v.string(), v.number()]));

const frame = v.looseObject({
  filename: text,
  abs_path: text,
  module: text,
  package: text,
  function: text,
  raw_function: text,
  lineno: integer,
  colno: integer,
  context_line: text,
  pre_context: lines,
  post_context: lines,
  in_app: v.nullish(v.boolean()),
  vars: v.nullish(v.union([v.record(v.string(), v.unknown()), v.array(v.unknown())])),
  instruction_addr: address,
  platform: text,
});
const stacktrace = v.nullish(v.looseObject({ frames: v.nullish(v.array(v.nullish(frame))) }));

const shortFrame = v.looseObject({
  file: text,
  line: integer,
  column: integer,
  function: text,
  module: text,
  in_app: v.nullish(v.boolean()),
});

const exception = v.looseObject({
  type: text,
  value: v.nullish(v.union([v.string(), v.number(), v.boolean(), v.looseObject({}), v.array(v.unknown())])),
  module: text,
  mechanism: v.nullish(v.looseObject({ handled: v.nullish(v.boolean()), synthetic: v.nullish(v.boolean()) })),
  stacktrace,
});
const exceptions = v.array(v.nullish(exception));
/** One exception on its own; what has `values` is a list. */
const alone = v.looseObject({ ...exception.entries, values: v.exactOptional(v.never()) });

const logEntry = v.looseObject({
  message: text,
  formatted: text,
  params: v.nullish(v.union([v.array(v.unknown()), v.record(v.string(), v.unknown())])),
});

/**
 * What the native and webhook doors take: one JSON object whose stack has any of three forms. Members that are not
 * named are kept. `null` stands for "not said" everywhere. In all forms frames are oldest first: the last threw; and
 * the last exception of a list was raised last.
 */
export const crashObject = v.looseObject({
  event_id: v.nullish(v.pipe(v.string(), v.regex(/^[A-Za-z0-9._:-]{1,128}$/))),
  message: v.nullish(v.union([v.string(), logEntry])),
  logentry: v.nullish(logEntry),
  exception: v.nullish(v.union([v.looseObject({ values: v.nullish(exceptions) }), exceptions, alone])),
  stack_trace: v.nullish(v.looseObject({ frames: v.nullish(v.array(v.nullish(shortFrame))) })),
  stack: text,
  stacktrace,
  timestamp: v.nullish(v.union([v.string(), v.number()])),
  level: text,
  platform: text,
  release: v.nullish(v.union([v.string(), v.looseObject({ version: text })])),
  dist: v.nullish(v.union([v.string(), v.number()])),
  environment: text,
  server_name: text,
  transaction: text,
  logger: text,
  tags: v.nullish(v.union([v.record(v.string(), scalar), pairs])),
  user: v.nullish(v.looseObject({})),
  request: v.nullish(v.looseObject({})),
  contexts: anyObject,
  extra: anyObject,
  modules: anyObject,
  breadcrumbs: v.nullish(
    v.union([
      v.looseObject({ values: v.nullish(v.array(v.nullish(v.looseObject({})))) }),
      v.array(v.nullish(v.looseObject({}))),
    ]),
  ),
  fingerprint: v.nullish(v.array(scalar)),
  sdk: v.nullish(v.looseObject({ name: text, version: text })),
});
