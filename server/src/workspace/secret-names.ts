/**
 * The one list of names that are never read, written or shown, whoever asks: tools, the compiler's answers, what is
 * attached to a prompt, evaluations and the REPL's own files.
 */

/**
 * Patterns in small letters, as a shell reads them: settings of environments, credentials of programs, private keys.
 * Files and folders alike have them.
 */
const SECRETS: readonly string[] = [
  ".env* *.env .dev.vars* .renviron .flaskenv env.{local,dev,development,test,staging,prod,production}{,.local}",
  "*.env.{json,json5,yml,yaml,toml,local,development,staging,production}",
  ".{npmrc,yarnrc,yarnrc.yml,yarnrc.yaml,pnpmrc,condarc,pypirc,terraformrc,hgrc,curlrc,wgetrc,msmtprc,fetchmailrc,lftprc}",
  ".{sentryclirc,clasprc.json,transifexrc,serverlessrc,cdsapirc,mongorc.js,databrickscfg,s3cfg,boto,netrc,authinfo} _netrc",
  "bunfig.toml pip.{conf,ini} auth.{json,toml} nuget.config kaggle.json {,.}rclone.conf ngrok.yml terraform.rc",
  ".git-credentials .pgpass pgpass.conf {,.}pg_service.conf .my.cnf .mylogin.cnf .htpasswd .docker{cfg,configjson}",
  "{,*[-_.]}kubeconfig{,.yml,.yaml} {,.}{,ansible[-_]}vault[-_]{token,pass,password} .{consul,nomad}-token",
  "*.tfvars{,.json} *.tfstate .secret{,s} .{credential,credentials,creds,passwd,password,token} .passwd-s3fs",
  "{,.,*[-_.]}secret{,s}{,[-_.]{prod,production,staging,dev,development,test,local}}.{json,json5,yml,yaml,toml,ini,properties,xml,cfg,conf,txt}",
  "{,.,*[-_.]}{credentials,creds}.{json,yml,yaml,toml,ini,csv,xml,db,properties,txt,tfrc.json}",
  "{,*[-_.]}{password,passwords,passwd,apikey,api[-_]key,api[-_]keys,private[-_]key,token}.txt token.json access[-_]token{,s}.{txt,json,db}",
  "{,*[-_.]}service{,[-_]}account*.json *firebase-adminsdk*.json gha-creds-*.json client_secret*.json azureauth.json",
  "{,*[-_.]}{api-keys,apikeys,storagestate}.json {gcp,sa}-key.json msal_token_cache.{json,bin} *accesskeys.csv rootkey.csv passwords.csv token.txt",
  ".{doppler,vultr-cli}.yaml .{gitcookies,smbcredentials,claude.json,s3cmd.ini,jfrog-cli.conf} jfrog-cli.conf{,.v*} {,.}mnemonic{,.txt} utc--*",
  "local.settings.json {key,keystore,signing,sentry}.properties *.publishsettings *.pubxml.user",
  "{sftp,sftp-config}.json .ftp{config,pass} .remote-sync.json .erlang.cookie .{x,ice}authority cookies.{txt,sqlite} wallet.dat",
  ".*_history logins.json secring.gpg {,*[-_.]}{private,secret}.{asc,gpg}",
  "id_{rsa,dsa,ecdsa,ed25519,xmss}{,[-_]*} ssh_host_*_key",
  "*.{pem,key,p8,p12,pfx,pkcs12,keystore,jks,jceks,ppk,kdb,kdbx,ovpn,agekey,keytab} wg{0,1,2}.conf key{3,4}.db",
].flatMap((line) => line.split(" "));
const SECRET_FOLDERS =
  ".ssh .gnupg .aws .azure .kube .password-store .vercel .netlify .huggingface .auth .near-credentials".split(" ");
/** Names of files that say so in one folder, or that folders may have which hold no secrets. */
const SECRET_FILES: readonly string[] = [
  "{,*[-_.]}credentials *[-_]{rsa,dsa,ecdsa,ed25519} {,*[-_]}{deploy,private,api}[-_]key {,.}secret{,s}/*.txt",
  ".docker/config.json .m2/settings{,-security}.xml {gh,glab-cli}/{hosts,config}.{yml,yaml} .{oci,bundle,cf}/config{,.json}",
  ".{aliyun,bluemix,twilio-cli,railway}/config.json .{fly,doctl}/config.{yml,yaml} doctl/config.{yml,yaml}",
  "{,.}stripe/config.toml {,.}snowflake/connections.toml configstore/*.json huggingface/token {,.}age/keys.txt .hg/hgrc .dbt/profiles.yml",
  ".config/hub pnpm/rc etc/npmrc .gradle/gradle.properties .dvc/config.local .snowsql/config {,.}supabase/access-token {,.}mc/config.json",
  "scw/config.yaml {,.}hcloud/cli.toml .ibmcloud/config.json .digitalocean/config .circleci/cli.yml .sops/age.txt solana/id.json .vnc/passwd op/config .aptos/config.yaml .gsutil/credstore{,2}",
].flatMap((line) => line.split(" "));

/** The same for git, which takes no regular expressions, without what editors leave beside. */
export const SECRET_PATTERNS: readonly string[] = [
  ...[...SECRETS, ...SECRET_FOLDERS].flatMap(spelledOut),
  ...SECRET_FILES.flatMap(spelledOut).map((pattern) => (pattern.includes("/") ? `**/${pattern}` : pattern)),
  ...SECRET_FOLDERS.map((folder) => `**/${folder}/**`),
];

/** A pattern with `{a,b}` as all that it stands for. */
function spelledOut(pattern: string): string[] {
  const [whole, inner = ""] = /\{([^{}]*)\}/.exec(pattern) ?? [];
  return whole === undefined
    ? [pattern]
    : inner.split(",").flatMap((each) => spelledOut(pattern.replace(whole, () => each)));
}

/** Copies that editors and people leave beside a file. */
const COPY = String.raw`(?:#|~|\.(?:bak|backup|old|orig|save|swp|swo|tmp|txt|copy|gpg|gz|zip|\d+))*`;
const SECRET = anyOf([...SECRETS, ...SECRET_FOLDERS], String.raw`(?:\.?#)?`);
const SECRET_FILE = anyOf(SECRET_FILES.filter((each) => !each.includes("/")));
/** Matches the folder and the name in it. */
const SECRET_BELOW = anyOf(SECRET_FILES.filter((each) => each.includes("/")));
const GIT = /^(?:\.git|git~\d+)$/iu;

/** Every disk reads such a name in one way. */
const PLAIN = /^(?:[\w.@+-]*[\w@+-])?$/;

/** Names that every disk reads in one way: no pattern means them, and most names of a project are like that. */
const SOURCE = /^[a-z0-9][\w.@+-]*\.(?:[cm]?[jt]sx?|css|html|md|svg)$/i;

/** HFS+ reads names as if these characters were not there. */
const IGNORED = /[\u200C-\u200F\u202A-\u202E\u2060\u206A-\u206F\uFEFF]|\uFE0F/gu;

export type ClosedName = { readonly kind: "git" | "secret"; readonly name: string };

/** The place of a name, as far as it is known. */
export interface NamePlace {
  /** The name of the folder that holds it. */
  readonly above?: string | undefined;
  readonly isFolder?: boolean;
}

/** Whether a file or folder of this name may hold secrets, on whatever disk. */
export function isSecretName(name: string, { above = "", isFolder = false }: NamePlace = {}): boolean {
  if (SOURCE.test(name)) return false;
  const all = spellings(name);
  if (all.some((each) => SECRET.test(each))) return true;
  if (isFolder) return false;
  if (all.some((each) => SECRET_FILE.test(each))) return true;
  const folders = spellings(above);
  return all.some((each) => folders.some((folder) => SECRET_BELOW.test(`${folder}/${each}`)));
}

/**
 * The first of the names on a path that closes what is there. The last name is a file's unless `isFolder` says
 * otherwise.
 */
export function closedName(segments: readonly string[], isFolder = false): ClosedName | undefined {
  for (const [index, name] of segments.entries()) {
    if (spellings(name).some((each) => GIT.test(each))) return { kind: "git", name };
    const place = { above: segments[index - 1], isFolder: isFolder || index < segments.length - 1 };
    if (isSecretName(name, place)) return { kind: "secret", name };
  }
  return undefined;
}

function anyOf(patterns: readonly string[], before = ""): RegExp {
  const signs: Readonly<Record<string, string>> = { "{": "(?:", "}": ")", ",": "|", "*": "[^/]*", ".": String.raw`\.` };
  const all = patterns.map((pattern) => pattern.replaceAll(/[{},*.]/g, (sign) => signs[sign] ?? sign));
  return new RegExp(`^${before}(?:${all.join("|")})${COPY}$`, "iu");
}

/** As the most forgiving disks read a name: Windows cuts off streams, dots and blanks, macOS tells some letters not apart. */
function spellings(name: string): string[] {
  if (PLAIN.test(name)) return [name];
  const plain = name.normalize("NFKC").replace(IGNORED, "");
  const cut = plain.replace(/(?<=.):.*$/su, "").replace(/[. ]+$/u, "");
  return cut === plain ? [plain] : [plain, cut];
}
