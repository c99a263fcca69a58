/** A kind of frame that raises, runs or wraps for others, so the fault is elsewhere. */
interface GenericFrames {
  readonly what: string;
  /** Of the function's last name. */
  readonly name?: RegExp;
  /** Of the file, module and function, joined by spaces, with `/` between folders. */
  readonly place?: RegExp;
}

export const GENERIC_FRAMES: readonly GenericFrames[] = [
  {
    what: 'Error raisers',
    name: /^_*(?:re_?)?(?:raise|throw|panic)(?:[_A-Z]\w*|s|)$|^(?:abort|die|fail|fatal|invariant|rethrow|unwrap_failed|expect_failed|begin_panic\w*|handle_?errors?|wrap_?errors?|trigger_error|__cxa_throw)$/,
  },
  {
    what: 'Assert helpers',
    name: /^_*(?:assert|ensure|require)(?:[_A-Z]\w*|s|)$|^check(?:Not(?:Null|Empty|Blank)|Argument|State|Index|ElementIndex|PositionIndex)\w*$|^(?:notNull|toBe|toEqual|toThrow)$/,
    place:
      /\b(?:org[./]junit|junit[./]framework|assertj|hamcrest|guava|com[./]google[./]common[./]base)\b|\b(?:Preconditions|Assert(?:ions)?)\b|\bunittest\/|\/_pytest\/|\bpluggy\/|node_modules\/(?:chai|expect|jest|vitest|mocha|jasmine)\b|^testing\/testing\.go/,
  },
  {
    what: 'Cursor wrappers and drivers',
    place:
      /django\/db\/(?:utils|backends)\b|sqlalchemy\/(?:engine|util|orm\/loading)\b|psycopg|sqlite3|mysqlclient|pymysql|active_record\/connection_adapters|activerecord-[\w.]+\/lib\/active_record\/connection|com\.zaxxer|java\.sql|node_modules\/(?:pg|mysql2?|knex|sequelize)\//,
  },
  {
    what: 'Executors, reflection and run loops',
    place:
      /java[./]util[./]concurrent|java[./]lang[./](?:Thread|reflect)\b|jdk[./]internal|sun[./]reflect|ThreadPoolExecutor|ForkJoin|kotlinx[./]coroutines|concurrent\/futures|\basyncio\/|\bthreading\.py|\bcontextlib\.py|\bfunctools\.py|node:(?:internal|events|async_hooks)|\btokio|\brayon|std::(?:rt|panic|thread|sys)|core::(?:panicking|ops::function)|^runtime\/|System\.(?:Threading|Runtime)/,
  },
];

/** True: the frame raises for others. */
export function isGeneric(parts: {
  readonly path: string | null;
  readonly module: string | null;
  readonly function: string | null;
}): boolean {
  const { path, module, function: name } = parts;
  const last = /([A-Za-z_]\w*)[^A-Za-z_]*$/.exec(name ?? '')?.[1] ?? '';
  const place = [path, module, name].map((part) => part?.replaceAll('\\', '/') ?? '').join(' ');
  return GENERIC_FRAMES.some((row) => row.name?.test(last) || row.place?.test(place));
}
