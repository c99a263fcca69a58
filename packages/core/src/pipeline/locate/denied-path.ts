import { replaceUnseen } from '../../domain/unseen.js';

/** Files that are denied by their path. */
export interface DeniedFiles {
  readonly what: string;
  /** Each is denied by this row; the reference page shows them. */
  readonly examples: string;
  /** The path that it is tried on begins with `/` and has small letters. */
  readonly path: RegExp;
  /** Code and documents with such a name are ordinary and stay readable: `src/secrets.ts`. */
  readonly data?: true;
}

/** How a file is named, except for backups (`.bak`, `~`), which are denied like the file itself. */
const named = (names: string) => RegExp(`/(?:${names})$`);
/** What may follow a name: nothing, or another part of it. */
const PART = '(?:[._ -][^/]*)?';
/** What may precede it. */
const LEAD = '(?:[^/]*[._ -])?';

export const DENIED_FILES: readonly DeniedFiles[] = [
  {
    what: 'Environments',
    examples: '.env .env.local .env-prod prod.env .envrc .flaskenv .dev.vars .envs/.production/.postgres',
    path: named(`\\.(?:env(?:rc)?|flaskenv|dev\\.vars)${PART}|[^/]*\\.env|\\.envs/.*`),
  },
  {
    what: 'Private keys, key stores and password stores',
    examples:
      'server.key tls.pem app.p12 app.pfx release.jks release.keystore team.kdbx login.ppk signing.p8 backup.gpg http.keytab office.ovpn',
    path: /\.(?:key|pem|p8|pk8|p12|pfx|jks|jceks|bks|keystore|keytab|ppk|kdbx?|asc|gpg|pgp|snk|ovpn|keychain(?:-db)?|kwallet|agilekeychain)$/,
  },
  {
    what: 'Keys with a name that says what they open',
    examples:
      'id_rsa id_ed25519_sk github_rsa deploy_key secret_key.txt private-key.json api_keys.yml config/master.key',
    path: named(
      `${LEAD}(?:id_(?:rsa|dsa|ecdsa|ed25519)|(?:deploy|private|secret|master|signing|encryption|ssh|host|api|access)[_-]?keys?)${PART}|[^/]*_(?:rsa|dsa|ecdsa|ed25519)(?:_key)?|[^/]*\\.key`,
    ),
    data: true,
  },
  {
    what: 'Secrets, credentials and passwords, by the name of the file or folder',
    examples:
      'aws_credentials credentials.json config/credentials.yml.enc config/secrets.yml secrets/prod.yml client_secret_1.json gcp-creds.json passwords.txt .htpasswd .git-credentials .vault_pass group_vars/all/vault.yml etc/shadow',
    path: named(
      `${LEAD}(?:secrets?|credentials?|creds)${PART}|${LEAD}(?:passwords?|passwd|htpasswd|htdigest|vault[_-]?pass(?:word)?)(?:\\.[^/]*)?|\\.?(?:secrets?|credentials?|creds|private[_-]keys?)/.*|(?:group|host)_vars/.*vault[^/]*|etc/g?shadow-?`,
    ),
    data: true,
  },
  {
    what: 'Secrets in scripts',
    examples: 'secrets.sh prod-credentials.ps1',
    path: named(`${LEAD}(?:secrets?|credentials?|creds)\\.(?:(?:ba|z|fi)?sh|ps1|bat|cmd)`),
  },
  {
    what: 'What programs keep in a home folder',
    examples:
      '.netrc _netrc .npmrc .yarnrc.yml .pypirc .pgpass pgpass.conf .my.cnf .s3cfg .boto .vault-token .terraformrc .dockercfg .docker/config.json .kube/config kubeconfig .ssh/config .aws/config .composer/auth.json auth.json .m2/settings.xml .gradle/gradle.properties .config/gh/hosts.yml sftp-config.json .bash_history cookies.txt',
    path: named(
      `[._]netrc|\\.(?:npmrc|yarnrc(?:\\.yml)?|pypirc|pgpass|(?:my|mylogin)\\.cnf|s3cfg|boto|vault-token|terraformrc|dockercfg|dockerconfigjson|ftpconfig|remote-sync\\.json|esmtprc|msmtprc|fetchmailrc|[a-z]+_history)|pgpass\\.conf|terraform\\.rc|sftp-config\\.json|settings-security\\.xml|cookies(?:\\.sqlite)?|logins\\.json|\\.docker/config\\.json|${LEAD}kube-?config${PART}|\\.(?:ssh|aws|gnupg|azure|gcloud|kube|password-store)/.*|(?:(?<=^/)|\\.composer/)auth\\.json|\\.m2/settings\\.xml|\\.gradle/gradle\\.properties|\\.config/(?:gcloud|gh|hub|op)(?:/.*)?`,
    ),
  },
  {
    what: 'Configuration that holds secrets by convention',
    examples:
      'wp-config.php wp-config-prod.php LocalSettings.php local_settings.py secret_token.rb config/database.yml local.settings.json appsettings.Production.json service-account-prod.json shop-firebase-adminsdk-x1.json google-services.json terraform.tfstate prod.tfvars plan.tfplan Shop.pubxml.user Azure.PublishSettings Shop.cscfg',
    path: named(
      `\\.?wp-config(?:-(?!sample)[^/]*)?\\.php|localsettings\\.php|local_settings\\.py|secret_(?:token|key)\\.rb|config/database\\.ya?ml|local\\.settings\\.json|appsettings\\.(?:prod|production|staging|local|secrets?)\\.json|${LEAD}service[_-]?account[^/]*\\.json|[^/]*firebase-adminsdk[^/]*\\.json|google-services\\.json|googleservice-info\\.plist|[^/]*\\.(?:tfstate(?:\\.[^/]*)?|tfvars(?:\\.json)?|tfplan|pubxml\\.user|publishsettings|cscfg)|terraform\\.tfstate\\.d/.*|\\.terraform/.*`,
    ),
  },
  {
    what: 'Lock files: long, and nobody wrote them',
    examples: 'package-lock.json yarn.lock pnpm-lock.yaml poetry.lock Cargo.lock go.sum',
    path: named(
      '(?:package-lock|npm-shrinkwrap)\\.json|(?:yarn|poetry|uv|pipfile|gemfile|composer|cargo|flake|mix)\\.lock|pnpm-lock\\.yaml|packages\\.lock\\.json|go\\.sum|bun\\.lockb?',
    ),
  },
];

const CODE =
  /\.(?:[cm]?[jt]sx?|vue|svelte|astro|mdx?|rst|adoc|html?|css|s[ac]ss|less|svg|png|py[xi]?|rbi?|erb|haml|slim|rs|go|java|kts?|scala|groovy|clj[cs]?|php|phpt|twig|cs|cshtml|razor|fs|vb|c|cc|cpp|cxx|h|hh|hpp|m|mm|swift|dart|exs?|eex|heex|erl|hrl|hs|ml|mli|lua|pl|pm|t|r|jl|nim|zig|d|el|lisp|sol|sh|bash|zsh|fish|ps1|bat|cmd|sql|proto|graphql|gql|thrift|po|pot|feature|snap|tmpl|tpl|j2)$/;

/** PATH_MAX of Linux: nothing can be read there, and a rule never sees more. */
const LONGEST_CHARS = 4_096;

/** Files whose lines must never appear in a prompt or an issue: environments, keys, credentials, lock files. */
export function isDeniedPath(path: string): boolean {
  if (path.length > LONGEST_CHARS) return true;
  return spellings(path).some((spelled) => {
    const isCode = CODE.test(spelled);
    return DENIED_FILES.some((row) => !(row.data && isCode) && row.path.test(spelled));
  });
}

/** The path as a file system, a URL or a bundler may read it: `C:\app\.ENV`, `%2eenv`, `.env::$DATA`, `.env?raw`, `.env.bak`. */
function spellings(path: string): readonly string[] {
  const read = [path];
  for (let last = path, left = 3; left > 0 && /%[0-9a-f]{2}/i.test(last); left--) {
    last = last.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
    read.push(last);
  }
  return read.flatMap((text) => {
    const plain = replaceUnseen(text.normalize('NFKC'), () => '').toLowerCase();
    return [plain, plain.replace(/[?#].*$/s, '')].map((each) => {
      const names = each.split(/[\\/]/).map((name) => name.replace(/:.*|[. ]+$/gs, ''));
      return `/${names.filter((name) => name !== '').join('/')}`.replace(BACKUP, '');
    });
  });
}

const BACKUP = /(?:~|\.(?:bak|backup|old|orig|save|copy|swp|swo|tmp|dist|b64|txt))+$/;
