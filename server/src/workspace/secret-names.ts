/**
 * The one list of names that are never read, written or shown, whoever asks: tools, the compiler's answers, what is
 * attached to a prompt, evaluations and the REPL's own files.
 */

/** Settings of environments, credentials of programs, folders that hold those, and private keys. */
const SECRETS: readonly string[] = [
  String.raw`\.env.*|.+\.env|\.dev\.vars.*|\.renviron`,
  String.raw`\.npmrc|[._]netrc|\.authinfo|\.git-credentials|\.pypirc|\.terraformrc|\.vault[-_](?:token|pass(?:word)?)`,
  String.raw`\.pgpass|pgpass\.conf|\.my\.cnf|\.mylogin\.cnf|\.htpasswd|\.docker(?:cfg|configjson)|\.s3cfg|\.boto|kubeconfig`,
  String.raw`application_default_credentials\.json|client_secret.*\.json`,
  String.raw`\.ssh|\.gnupg|\.aws|\.azure|\.kube|\.password-store`,
  String.raw`id_(?:rsa|dsa|ecdsa|ed25519|xmss)(?:[-_][^.]*)?`,
  String.raw`.*\.(?:pem|key|p8|p12|pfx|pkcs12|keystore|jks|jceks|ppk|kdbx?|ovpn|agekey)`,
];
/** The same for git, which takes no regular expressions: patterns of files, in small letters, without what editors leave beside. */
export const SECRET_PATTERNS: readonly string[] = [
  ...".env* *.env .dev.vars* .renviron".split(" "),
  ...".npmrc [._]netrc .authinfo .git-credentials .pypirc .terraformrc .vault[-_]token .vault[-_]pass*".split(" "),
  ...".pgpass pgpass.conf .my.cnf .mylogin.cnf .htpasswd .dockercfg .dockerconfigjson .s3cfg .boto kubeconfig".split(
    " ",
  ),
  ..."application_default_credentials.json client_secret*.json".split(" "),
  ...".ssh .gnupg .aws .azure .kube .password-store".split(" ").map((folder) => `**/${folder}/**`),
  ..."rsa dsa ecdsa ed25519 xmss".split(" ").flatMap((kind) => [`id_${kind}`, `id_${kind}[-_]*`]),
  ..."pem key p8 p12 pfx pkcs12 keystore jks jceks ppk kdb kdbx ovpn agekey".split(" ").map((end) => `*.${end}`),
];
/** Copies that editors and people leave beside a file. */
const COPY = String.raw`(?:#|~|\.(?:bak|backup|old|orig|save|swp|swo|tmp|txt|copy|\d+))*`;
const SECRET = new RegExp(`^(?:\\.?#)?(?:${SECRETS.join("|")})${COPY}$`, "iu");
const GIT = /^(?:\.git|git~\d+)$/iu;

/** Every disk reads such a name in one way. */
const PLAIN = /^(?:[\w.@+-]*[\w@+-])?$/;

/** HFS+ reads names as if these characters were not there. */
const IGNORED = /[\u200C-\u200F\u202A-\u202E\u2060\u206A-\u206F\uFEFF]|\uFE0F/gu;

export type ClosedName = { readonly kind: "git" | "secret"; readonly name: string };

/** Whether a file or folder of this name may hold secrets, on whatever disk. */
export function isSecretName(name: string): boolean {
  return spellings(name).some((each) => SECRET.test(each));
}

/** The first of the names on a path that closes what is there. */
export function closedName(segments: readonly string[]): ClosedName | undefined {
  for (const name of segments) {
    const all = spellings(name);
    if (all.some((each) => GIT.test(each))) return { kind: "git", name };
    if (all.some((each) => SECRET.test(each))) return { kind: "secret", name };
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
