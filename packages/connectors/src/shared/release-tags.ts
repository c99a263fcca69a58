/** The usual tag names of a release. */
export function tagForms(release: string): readonly string[] {
  if (release === '' || release.length > 200 || /[\s~^:?*[\\]|\.\.|^[-/]|@\{/.test(release)) return [];
  const at = release.lastIndexOf('@');
  const name = at > 0 ? release.slice(0, at) : '';
  const version = release
    .slice(at + 1)
    .replace(/\+.*$/, '')
    .replace(/^v(?=\d)/, '');
  if (version === '') return [];
  const forms = [release, `v${version}`, version, `release-${version}`];
  if (name !== '') forms.push(`${name}@${version}`, `${name}-v${version}`, `${name}/v${version}`);
  return [...new Set(forms)];
}
