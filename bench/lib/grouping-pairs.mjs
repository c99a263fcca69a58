// Pairs of crashes of which it is known whether they are one incident. Made from public crashes, and from code as it is common in
// each language, in the forms in which crashes arrive.

/** A crash: frames oldest first, each with a path from the project's root. */
const shop = (platform, type, value, frames) => ({
  platform,
  type,
  value,
  release: 'r1',
  root: '/app/',
  frames,
});
const frame = (path, fn, line, src, more = {}) => ({ path, fn, line, src, ...more });

/** Ordinary crashes of a project, with the source line of each frame. */
function bases() {
  const words = ['orders', 'users', 'carts', 'invoices', 'search', 'stock'];
  return words.flatMap((word, at) => [
    shop('node', 'TypeError', `Cannot read properties of undefined (reading '${word}')`, [
      frame('server.js', 'handle', 40, 'const answer = await route(request);'),
      frame(`app/${word}/route.js`, 'GET', 12 + at, `  return body.${word}.map(render);`),
      frame('lib/render.js', 'render', 7, '  return item.price.amount;'),
    ]),
    shop('node', 'RangeError', 'Invalid time value', [
      frame('app.js', '<anonymous>', 30 + at, `  res.send(new Date(req.query.${word}).toISOString());`),
    ]),
    shop('javascript', 'TypeError', `${word} is undefined`, [
      frame(`static/js/${word}.4f9d2c81ab.js`, 'onClick', 1, null),
      frame('static/js/vendor.98ab12cd34.js', 'dispatch', 1, null),
    ]),
    shop('python', 'KeyError', `'${word}'`, [
      frame('manage.py', '<module>', 9, '    main()'),
      frame(`shop/${word}/views.py`, 'get', 22 + at, `        return self.rows["${word}"]`),
    ]),
    shop('java', 'IllegalStateException', `no ${word}`, [
      frame('Main.java', 'main', 5, null, { module: 'com.acme.Main' }),
      frame('Handler.java', 'handle', 31 + at, null, { module: `com.acme.${word}.Handler` }),
    ]),
    shop('csharp', 'System.InvalidOperationException', `no ${word}`, [
      frame('Handler.cs', 'Handle', 31 + at, null, { module: `Acme.${word}.Handler` }),
    ]),
    shop('ruby', 'NoMethodError', `undefined method '${word}' for nil`, [
      frame('config.ru', '<main>', 3, 'run App'),
      frame(`app/${word}/show.rb`, 'call', 11 + at, `    @row.${word}.first`),
    ]),
    shop('go', `*${word}.Error`, `${word} 12 not found`, [
      frame('cmd/api/main.go', 'main', 30, null, { module: 'main' }),
      frame(`${word}/server.go`, '(*Server).Get', 18 + at, null, { module: `example.com/shop/${word}` }),
    ]),
  ]);
}

/** A public crash: no source, and the folders that its report had. */
function published({ language, error, frames }) {
  const type = /^([A-Za-z_$][\w$.]{0,200}): /.exec(error)?.[1] ?? 'Error';
  const made = [...frames].reverse().map(([path, line, fn]) => frame(path, fn, line, null));
  return { ...shop(language, type, error, made), root: '' };
}

/** As Sentry's clients send it. */
const sentry = ({ platform, type, value, release, root, frames, more = {} }) => ({
  ...{ platform, release, ...more },
  exception: {
    values: [
      {
        ...{ type, value },
        stacktrace: {
          frames: frames.map(({ path, fn, line, src, module, outside }) => ({
            ...{ filename: path, abs_path: `${root}${path}`, function: fn, lineno: line },
            ...(module ? { module } : {}),
            ...(src ? { context_line: src } : {}),
            ...(outside ? { in_app: false } : {}),
          })),
        },
      },
    ],
  },
});
/** The short form has no type, no source and the paths that its sender likes. */
const short = ({ platform, value, release, frames }) => ({
  ...{ platform, release, message: value },
  stack_trace: {
    frames: frames.map(({ path, fn, line, module }) => ({
      ...{ file: path, function: fn, line, ...(module ? { module } : {}) },
    })),
  },
});
const newest = ({ frames }) => [...frames].reverse();
/** As the platform prints it; `null`: not written here. */
const RAW = {
  node: (crash) =>
    [
      `${crash.type}: ${crash.value}`,
      ...newest(crash).map(({ path, fn, line }) => {
        const place = `${crash.root}${path}:${line}:9`;
        return fn === '<anonymous>' ? `    at ${place}` : `    at ${fn} (${place})`;
      }),
    ].join('\n'),
  // Firefox: without type and message.
  javascript: (crash) =>
    newest(crash)
      .map(({ path, fn, line }) => `${fn}@https://shop.example/${path}:${line}:900`)
      .join('\n'),
  python: (crash) =>
    [
      'Traceback (most recent call last):',
      ...crash.frames.flatMap(({ path, fn, line, src }) => [
        `  File "${crash.root}${path}", line ${line}, in ${fn}`,
        ...(src ? [`    ${src.trim()}`] : []),
      ]),
      `${crash.type}: ${crash.value}`,
    ].join('\n'),
  java: (crash) =>
    [
      `com.acme.${crash.type}: ${crash.value}`,
      ...newest(crash).map(({ path, fn, line, module }) => `\tat ${module}.${fn}(${path}:${line})`),
    ].join('\n'),
  go: (crash) =>
    [
      `panic: ${crash.value}`,
      '',
      'goroutine 1 [running]:',
      ...newest(crash).flatMap(({ path, fn, line, module }) => [
        `${module}.${fn}(0xc000010000)`,
        `\t${crash.root}${path}:${line} +0x1d`,
      ]),
    ].join('\n'),
};
const raw = (crash) =>
  RAW[crash.platform] && crash.root !== ''
    ? { platform: crash.platform, release: crash.release, stack: RAW[crash.platform](crash) }
    : null;

const withFrames = (crash, change) => ({ ...crash, frames: crash.frames.map(change) });
const last = (crash) => crash.frames.at(-1);
const ROOTS = [
  '/srv/shop/releases/20240101120000/',
  '/home/ada/shop/',
  '/usr/src/app/',
  'C:\\inetpub\\wwwroot\\shop\\',
];
const isScript = ({ platform }) => platform === 'node' || platform === 'javascript';
const sourced = (crash) => Boolean(last(crash)?.src);
const own = (crash) => crash.root !== '';
/** A frame is repeated, as by recursion, with the frames that `between` names. */
const deeper = (crash, times, between = []) => ({
  ...crash,
  frames: [...crash.frames, ...Array.from({ length: times }, () => [...between, last(crash)]).flat()],
});
const walk = frame('lib/walk.js', 'walk', 3, '  visit(node);');

/** The same cause, told differently. Each gives pairs of crash objects. */
const SAME = {
  'lines moved': (crash) => [
    [sentry(crash), sentry(withFrames(crash, (one) => ({ ...one, line: one.line + 90 })))],
  ],
  'line edited in the next release': (crash) =>
    sourced(crash)
      ? [
          [
            sentry(crash),
            sentry({
              ...withFrames(crash, (one) => ({ ...one, src: `${one.src} // moved` })),
              release: 'r2',
            }),
          ],
        ]
      : [],
  'deployed elsewhere': (crash) =>
    own(crash) && crash.platform !== 'javascript'
      ? ROOTS.map((root) => [sentry(crash), sentry({ ...crash, root })])
      : [],
  'chunk with another hash': (crash) =>
    crash.platform === 'javascript'
      ? ['0a1b2c3d4e', 'deadbeef01'].map((hash) => [
          sentry(crash),
          sentry(
            withFrames(crash, (one) => ({ ...one, path: one.path.replace(/\.[0-9a-f]{10}\./, `.${hash}.`) })),
          ),
        ])
      : [],
  'chunk with another number': (crash) =>
    crash.platform === 'javascript'
      ? [['721', '88']].map((names) =>
          names.map((name) =>
            sentry(
              withFrames(crash, (one, at) =>
                at === 0 ? { ...one, path: `static/js/${name}.98ab12cd34.js` } : one,
              ),
            ),
          ),
        )
      : [],
  'type minified': (crash) =>
    isScript(crash) && own(crash) ? [[sentry({ ...crash, type: 't' }), sentry({ ...crash, type: 'n' })]] : [],
  'short form': (crash) => (own(crash) ? [[sentry(crash), short(crash)]] : []),
  'raw text': (crash) => {
    const text = raw(crash);
    return text === null
      ? []
      : [
          [sentry(crash), text],
          [short(crash), text],
        ];
  },
  'without source': (crash) =>
    sourced(crash) ? [[sentry(crash), sentry(withFrames(crash, (one) => ({ ...one, src: null })))]] : [],
  'message in another language': (crash) =>
    crash.platform === 'go' ? [] : [[sentry(crash), sentry({ ...crash, value: 'nicht gefunden' })]],
  'deeper recursion': (crash) => [1, 2, 5, 40].map((times) => [sentry(crash), sentry(deeper(crash, times))]),
  'deeper recursion of two functions': (crash) =>
    own(crash)
      ? [2, 5, 40].map((times) => [sentry(deeper(crash, 1, [walk])), sentry(deeper(crash, times, [walk]))])
      : [],
  'compiled asynchronous function': (crash) =>
    crash.platform === 'node'
      ? [
          [
            sentry(crash),
            sentry({
              ...crash,
              frames: crash.frames.flatMap((one) => [
                ...['fulfilled', 'step', 'Object.next'].map((fn) => frame(one.path, fn, 5, null)),
                one,
              ]),
            }),
          ],
        ]
      : [],
  'other frames of libraries': (crash) =>
    own(crash) && !isScript(crash)
      ? [
          [
            sentry({
              ...crash,
              frames: [{ ...frame('vendor/a.x', 'call', 1, null), outside: true }, ...crash.frames],
            }),
            sentry({
              ...crash,
              frames: [
                ...crash.frames.slice(0, -1),
                { ...frame('vendor/b.x', 'run', 2, null), outside: true },
                last(crash),
              ],
            }),
          ],
        ]
      : [],
};

/** Another cause, at much the same place. */
const OTHER = {
  'another type': (crash) =>
    crash.platform === 'c' ? [] : [[sentry(crash), sentry({ ...crash, type: 'AnotherError' })]],
  'the same names in another folder': (crash) =>
    own(crash) && last(crash).path.includes('/') && crash.platform !== 'javascript'
      ? [
          [
            sentry(crash),
            sentry(
              withFrames(crash, (one) => ({
                ...one,
                path: one.path.replace(/[^/]+(?=\/[^/]+$)/, 'reports'),
              })),
            ),
          ],
        ]
      : [],
  'the same names in another package': (crash) =>
    last(crash)?.module?.includes('.') && crash.platform !== 'go'
      ? [
          [
            sentry(crash),
            sentry(
              withFrames(crash, (one) => ({
                ...one,
                module: one.module.replace(/[^.]+(?=\.[^.]+$)/, 'reports'),
              })),
            ),
          ],
        ]
      : [],
  'another line of the function': (crash) =>
    sourced(crash)
      ? [[sentry(crash), sentry(withFrames(crash, (one) => ({ ...one, src: `${one.src} || fallback()` })))]]
      : [],
  'another caller of a helper': (crash) =>
    own(crash) && crash.frames.length > 1 && crash.platform !== 'javascript'
      ? [
          [
            sentry(crash),
            sentry({
              ...crash,
              frames: [
                ...crash.frames.slice(0, -2),
                { ...crash.frames.at(-2), fn: 'reconcile' },
                last(crash),
              ],
            }),
          ],
        ]
      : [],
  'another function': (crash) => [
    [
      sentry(crash),
      sentry({ ...crash, frames: [...crash.frames.slice(0, -1), { ...last(crash), fn: 'reconcile' }] }),
    ],
  ],
  'another message at one report(err)': (crash) => {
    if (crash.platform !== 'go' || !own(crash)) return [];
    const report = {
      ...crash,
      type: '*errors.errorString',
      frames: [frame('main.go', 'report', 8, null, { module: 'main' })],
    };
    return [
      [
        sentry({ ...report, value: 'cannot open database' }),
        sentry({ ...report, value: 'mail queue is full' }),
      ],
    ];
  },
};

/** `{ kind, same, pair }` for each pair. `crashes` are those of `public-crashes.json`. */
export function groupingPairs(crashes) {
  const all = [...bases(), ...crashes.map(published)];
  return [
    [true, SAME],
    [false, OTHER],
  ].flatMap(([same, kinds]) =>
    Object.entries(kinds).flatMap(([kind, make]) =>
      all.flatMap((crash) => make(crash).map((pair) => ({ kind, same, pair }))),
    ),
  );
}
