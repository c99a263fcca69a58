import type { Frame } from '../../domain/event.js';
import { type PlatformFamily, platformFamily } from './platform-family.js';

type FrameOrigin = Pick<Frame, 'file' | 'abs_path' | 'module' | 'package' | 'function'>;
type Guess = (place: FrameOrigin, path: string) => boolean | null;

const PYTHON_OUT = /\/(?:site|dist)-packages\/|\/lib(?:64|32)?\/python\d|\/python\d+\.zip\//;
const JS_OUT =
  /(?:^|\/)node_modules\/|^node:|^internal\/|^(?:chrome|moz|safari-web|safari)-extension:|\/webpack\/(?:bootstrap|runtime)/;
const JAVA_OUT =
  /^(?:java|javax|jakarta|jdk|sun|com\.sun|kotlin|kotlinx|scala|groovy|clojure|android|androidx|com\.android|dalvik|org\.springframework|org\.hibernate|org\.eclipse|org\.jboss|org\.junit|org\.slf4j|org\.apache\.(?:tomcat|catalina|coyote|jasper|commons|http|log4j|logging|maven)|ch\.qos\.logback|io\.netty|io\.undertow|io\.vertx|io\.micronaut|io\.quarkus|io\.reactivex|reactor|com\.google\.(?:common|android|gson)|com\.fasterxml|com\.zaxxer|okhttp3|retrofit2|okio)\./;
const GO_STANDARD =
  /^(?:runtime|net|os|io|fmt|bufio|bytes|context|crypto|database|encoding|errors|html|log|math|mime|reflect|regexp|sort|strconv|strings|sync|syscall|testing|text|time|internal|golang\.org\/x)(?:\/|$)/;
const GO_OUT =
  /\/usr\/local\/go\/src\/|\/lib\/go(?:-[\d.]+)?\/src\/|\/libexec\/src\/|\/go\/\d+\.\d[\d.]*\/[^/]{1,16}\/src\/|\/pkg\/mod\/|\/vendor\//;
const RUBY_OUT = /\/gems\/|\/lib\/ruby\/|\/bundle\/ruby\/|^<internal:|^\(eval/;
const DOTNET_OUT =
  /^(?:System|Microsoft|Newtonsoft|Windows|MS|Xunit|NUnit|Serilog|Npgsql|Dapper|AutoMapper|Polly)\./;
const NATIVE_OUT =
  /^(?:std|core|alloc|__gnu_cxx|backtrace)::|^<(?:std|core|alloc)::|^_?_?rust_|^(?:abort|raise|_start|start_thread|clone3?|__libc_start_main|__pthread_kill|KiUserExceptionDispatcher|RtlUserThreadStart|BaseThreadInitThunk)\b/;
const NATIVE_PACKAGE_OUT = /\/rustc\/|^\/(?:usr\/lib|lib|System\/Library)|^[A-Za-z]:\/Windows\//i;

const python: Guess = ({ file }, path) => {
  if (path === '') return null;
  return !(PYTHON_OUT.test(path) || /^<(?!stdin>)/.test(file ?? '') || path.includes('/<frozen '));
};
/** A script of a page may be the project's own or a third party's: unknown. */
const javascript: Guess = (_, path) => {
  if (path === '' || path === '<anonymous>' || path === 'native') return path === '' ? null : false;
  if (JS_OUT.test(path) || path.includes('[native code]')) return false;
  return /^https?:|^blob:/.test(path) ? null : true;
};
const java: Guess = ({ module, function: name }) => {
  const place = module ?? name ?? '';
  if (place === '') return null;
  return !(JAVA_OUT.test(`${place}.`) || /\$\$(?:Lambda|EnhancerBy|FastClassBy|SpringCGLIB)/.test(place));
};
const go: Guess = ({ module }, path) => {
  if (GO_OUT.test(path) || (module !== null && GO_STANDARD.test(module))) return false;
  return path === '' && module === null ? null : true;
};
const ruby: Guess = (_, path) => (path === '' ? null : !RUBY_OUT.test(path));
const php: Guess = (_, path) =>
  path === '' || path === '[internal]' || path.startsWith('[internal')
    ? false
    : !/(?:^|\/)vendor\//.test(path);
const csharp: Guess = ({ module, function: name }) => {
  const place = module ?? name ?? '';
  return place === '' ? null : !DOTNET_OUT.test(place);
};
const native: Guess = ({ package: binary, function: name }, path) => {
  if (NATIVE_OUT.test(name ?? '') || NATIVE_PACKAGE_OUT.test(path)) return false;
  return binary !== null && NATIVE_PACKAGE_OUT.test(binary.replaceAll('\\', '/')) ? false : null;
};

const GUESSES: Readonly<Record<PlatformFamily, Guess>> = {
  python,
  javascript,
  java,
  go,
  ruby,
  php,
  csharp,
  native,
};

/**
 * Whether a frame is the project's own code, judged by its place: false for the language's and third-party libraries,
 * `null` if unknown. The same for every form of a crash.
 */
export function guessInApp(place: FrameOrigin, platform: string): boolean | null {
  const family = platformFamily(platform);
  if (family === null) return null;
  return GUESSES[family](place, (place.abs_path ?? place.file ?? '').replaceAll('\\', '/'));
}
