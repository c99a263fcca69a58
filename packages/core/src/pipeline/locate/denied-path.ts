const DENIED = [
  /(?:^|\/)\.env(?:rc|\.[^/]*)?$/i,
  /(?:^|\/)[._]netrc$/i,
  /(?:^|\/)\.(?:npmrc|yarnrc(?:\.yml)?|pypirc|pgpass|my\.cnf|htpasswd|dockercfg|dockerconfigjson|git-credentials|s3cfg|boto|vault-token|terraformrc)$/i,
  /(?:^|\/)(?:\.docker\/config\.json|\.kube\/config|kubeconfig|service[-_]account[^/]*\.json|wp-config\.php)$/i,
  /\.(?:pem|key|p12|pfx|jks|keystore|ppk|kdbx|asc|gpg|tfstate(?:\.backup)?|tfvars(?:\.json)?)$/i,
  /(?:^|\/)id_(?:rsa|dsa|ecdsa|ed25519)[^/]*$/i,
  /(?:^|\/)(?:secrets?|credentials?)(?:\.[^/]*)?$/i,
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|poetry\.lock|pipfile\.lock|gemfile\.lock|composer\.lock|cargo\.lock|go\.sum|bun\.lockb?)$/i,
  /(?:^|\/)(?:\.ssh|\.aws|\.gnupg)\//i,
];

/** Files whose lines must never appear in a prompt or an issue: environments, keys, credentials, lock files. */
export function isDeniedPath(path: string): boolean {
  return DENIED.some((pattern) => pattern.test(path));
}
