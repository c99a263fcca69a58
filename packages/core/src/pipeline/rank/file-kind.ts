const DOCS =
  /(?:^|\/)(?:docs?|documentation|changelogs?|changes|news|releasenotes|examples?)\/|\.(?:md|rst|txt|adoc|po|pot|html?|svg|css|json5?|lock)$|(?:^|\/)(?:CHANGELOG|CHANGES|NEWS|AUTHORS|README|LICENSE|RELNOTES)/i;
const TESTS =
  /(?:^|\/)(?:tests?|specs?|__tests__|testing|testdata|fixtures|it)\/|(?:^|[/_.-])(?:test|spec|tests)[_.-]|[_.-](?:test|spec|tests)\.\w+$|(?:Test|Tests|Spec|Suite|IT)\.\w+$/;

/** A file's purpose, judged by its path. */
export function kindOf(path: string): 'code' | 'test' | 'docs' {
  if (DOCS.test(path)) return 'docs';
  return TESTS.test(path) ? 'test' : 'code';
}
