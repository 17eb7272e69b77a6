/**
 * The one list of names that are never read, written or shown, whoever asks: tools, the compiler's answers, what is
 * attached to a prompt, evaluations and the REPL's own files.
 */

/** Settings of environments, credentials of programs, folders that hold those, and private keys. */
const SECRETS: readonly string[] = [
  String.raw`\.env.*|.+\.env|\.dev\.vars.*|\.renviron`,
  String.raw`\.npmrc|[._]netrc|\.authinfo|\.git-credentials|\.pypirc|\.terraformrc|\.vault[-_](?:token|pass(?:word)?)`,
  String.raw`\.pgpass|pgpass\.conf|\.my\.cnf|\.mylogin\.cnf|\.htpasswd|\.docker(?:cfg|configjson)|\.s3cfg|\.boto|kubeconfig`,
  String.raw`\.flaskenv|env\.(?:local|development|staging|production)|.+\.env\.(?:json5?|ya?ml|toml|local|development|staging|production)`,
  String.raw`\.yarnrc(?:\.ya?ml)?|\.pnpmrc|bunfig\.toml|\.condarc|pip\.conf|auth\.json|nuget\.config|kaggle\.json|rclone\.conf`,
  String.raw`\.sentryclirc|\.databrickscfg|\.curlrc|\.wgetrc|\.msmtprc|\.fetchmailrc|\.lftprc|\.mongorc\.js|\.(?:consul|nomad)-token`,
  String.raw`.+\.tfvars(?:\.json)?|.+\.tfstate|(?:.+[-_.])?secrets?\.(?:json5?|ya?ml|toml|ini|properties|xml|cfg|conf|txt)|\.secrets?`,
  String.raw`(?:.+[-_.])?credentials\.(?:json|ya?ml|toml|ini|csv|xml|db|properties|tfrc\.json)|(?:.+[-_.])?service[-_]?account.*\.json`,
  String.raw`.*firebase-adminsdk.*\.json|gha-creds-.*\.json|local\.settings\.json|(?:key|keystore|signing)\.properties`,
  String.raw`client_secret.*\.json`,
  String.raw`\.ssh|\.gnupg|\.aws|\.azure|\.kube|\.password-store|\.vercel|\.netlify|\.huggingface`,
  String.raw`id_(?:rsa|dsa|ecdsa|ed25519|xmss)(?:[-_][^.]*)?`,
  String.raw`.*\.(?:pem|key|p8|p12|pfx|pkcs12|keystore|jks|jceks|ppk|kdbx?|ovpn|agekey)`,
];
/** Names of files that say so in one folder, or that folders may have which hold no secrets, with the name of the folder before. */
const SECRET_FILES = new RegExp(
  String.raw`(?:^|/)credentials$|^(?:\.docker/config\.json|\.m2/settings(?:-security)?\.xml|gh/hosts\.ya?ml|\.oci/config|\.bundle/config|doctl/config\.ya?ml)$`,
  "iu",
);
/** The same for git, which takes no regular expressions: patterns of files, in small letters, without what editors leave beside. */
export const SECRET_PATTERNS: readonly string[] = [
  ...".env* *.env .dev.vars* .renviron".split(" "),
  ...".npmrc [._]netrc .authinfo .git-credentials .pypirc .terraformrc .vault[-_]token .vault[-_]pass*".split(" "),
  ...".pgpass pgpass.conf .my.cnf .mylogin.cnf .htpasswd .dockercfg .dockerconfigjson .s3cfg .boto kubeconfig".split(
    " ",
  ),
  ..."client_secret*.json .flaskenv env.local env.development env.staging env.production *.env.json *.env.y*ml *.env.toml".split(
    " ",
  ),
  ...".yarnrc .yarnrc.y*ml .pnpmrc bunfig.toml .condarc pip.conf auth.json nuget.config kaggle.json rclone.conf".split(
    " ",
  ),
  ...".sentryclirc .databrickscfg .curlrc .wgetrc .msmtprc .fetchmailrc .lftprc .mongorc.js .consul-token .nomad-token".split(
    " ",
  ),
  ..."*.tfvars *.tfvars.json *.tfstate .secret .secrets credentials".split(" "),
  ..."json json5 yml yaml toml ini properties xml cfg conf txt csv db"
    .split(" ")
    .flatMap((end) =>
      ["secret", "secrets", "credentials"].flatMap((name) => [`${name}.${end}`, `*[-_.]${name}.${end}`]),
    ),
  ..."*service[-_]account*.json *serviceaccount*.json *firebase-adminsdk*.json gha-creds-*.json local.settings.json".split(
    " ",
  ),
  ..."key.properties keystore.properties signing.properties **/.docker/config.json **/.m2/settings*.xml".split(" "),
  ...".ssh .gnupg .aws .azure .kube .password-store .vercel .netlify .huggingface"
    .split(" ")
    .map((folder) => `**/${folder}/**`),
  ..."rsa dsa ecdsa ed25519 xmss".split(" ").flatMap((kind) => [`id_${kind}`, `id_${kind}[-_]*`]),
  ..."pem key p8 p12 pfx pkcs12 keystore jks jceks ppk kdb kdbx ovpn agekey".split(" ").map((end) => `*.${end}`),
];
/** Copies that editors and people leave beside a file. */
const COPY = String.raw`(?:#|~|\.(?:bak|backup|old|orig|save|swp|swo|tmp|txt|copy|\d+))*`;
/** How their names begin: few others are looked at. */
const MAYBE_SECRET = /^(?:\.?#)?(?:credentials|config|settings|hosts)/iu;
const COPIES = new RegExp(`${COPY}$`, "iu");
const SECRET = new RegExp(`^(?:\\.?#)?(?:${SECRETS.join("|")})${COPY}$`, "iu");
const GIT = /^(?:\.git|git~\d+)$/iu;

/** Every disk reads such a name in one way. */
const PLAIN = /^(?:[\w.@+-]*[\w@+-])?$/;

/** HFS+ reads names as if these characters were not there. */
const IGNORED = /[\u200C-\u200F\u202A-\u202E\u2060\u206A-\u206F\uFEFF]|\uFE0F/gu;

export type ClosedName = { readonly kind: "git" | "secret"; readonly name: string };

/** Where a name stands, as far as that is known. */
export interface NamePlace {
  /** The name of the folder that it stands in. */
  readonly above?: string | undefined;
  readonly isFolder?: boolean;
}

/** Whether a file or folder of this name may hold secrets, on whatever disk. */
export function isSecretName(name: string, { above = "", isFolder = false }: NamePlace = {}): boolean {
  const all = spellings(name);
  if (all.some((each) => SECRET.test(each))) return true;
  if (isFolder) return false;
  const maybe = all.filter((each) => MAYBE_SECRET.test(each));
  if (maybe.length === 0) return false;
  const folders = spellings(above);
  return maybe.some((each) => folders.some((folder) => SECRET_FILES.test(`${folder}/${each.replace(COPIES, "")}`)));
}

/** The first of the names on a path that closes what is there. The last one is that of a file unless `isFolder` is said. */
export function closedName(segments: readonly string[], isFolder = false): ClosedName | undefined {
  for (const [index, name] of segments.entries()) {
    if (spellings(name).some((each) => GIT.test(each))) return { kind: "git", name };
    const place = { above: segments[index - 1], isFolder: isFolder || index < segments.length - 1 };
    if (isSecretName(name, place)) return { kind: "secret", name };
  }
  return undefined;
}

/** As the most forgiving disks read a name: Windows cuts off streams, dots and blanks, macOS tells some letters not apart. */
function spellings(name: string): string[] {
  if (PLAIN.test(name)) return [name];
  const plain = name.normalize("NFKC").replace(IGNORED, "");
  const cut = plain.replace(/(?<=.):.*$/su, "").replace(/[. ]+$/u, "");
  return cut === plain ? [plain] : [plain, cut];
}
