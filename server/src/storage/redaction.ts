/** What is taken out of everything that is written to the disk: keys, and texts as long as files. */
import { cutText } from "../base/cut-text.ts";

/**
 * Shapes in which keys are given out: Anthropic and OpenAI, Stripe, GitHub, GitLab, AWS, Google, Slack, npm, Hugging Face, SendGrid,
 * DigitalOcean, age, JSON Web Tokens.
 */
const KEY_SHAPES = new RegExp(
  String.raw`\b(?:${[
    String.raw`sk-[\w-]{16,}|[sr]k_(?:live|test)_\w{10,}|whsec_\w{16,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}`,
    String.raw`A(?:KIA|SIA)[A-Z0-9]{16}|AIza[\w-]{30,}|ya29\.[\w-]{16,}|xox[abprs]-[\w-]{10,}|npm_\w{20,}|hf_[A-Za-z0-9]{20,}`,
    String.raw`SG\.[\w-]{16,}\.[\w-]{16,}|do[opr]_v1_[0-9a-f]{32,}|AGE-SECRET-KEY-1[A-Z0-9]{20,}`,
    String.raw`eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{5,}`,
  ].join("|")})`,
  "g",
);
const PRIVATE_KEY =
  /-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----|$)/g;
/** What a shell, a header or a file of settings gives to such a name. A program gives it to a variable, and says no secret. */
const NAMED_VALUE =
  /((?:\b|_)(?:password|passwd|pgpassword|client_?secret|secret_?key|api_?key|access_?token|auth_?token|x-api-key)["']?(?:=|:[ \t]*(?=["']?[^\s"'\w]*\w*\d)|[ \t]*[:=][ \t]*(?=["'])))("[^"\n]*"|'[^'\n]*'|[^\s"',;&]+)/gi;
const HEADER = /(\bauthorization["']?[ \t]*[:=][ \t]*["']?(?:bearer|basic|token|digest)[ \t]+)[^\s"',;]+/gi;
const IN_ADDRESS = /(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/"'`<>]+@(?=[\w[.-])/gi;
const SHORTEST_SECRET = 6;
/** Texts are cut there unless somebody says otherwise. */
const LONGEST_TEXT = 8_000;
export const REDACTED = "[redacted]";

/** A copy of a JSON value without the `secrets` and without what looks like a key; long texts in it are cut. */
export function redacted<Value>(value: Value, secrets: readonly string[], longest: number = LONGEST_TEXT): Value {
  const known = secrets.filter((secret) => secret.length >= SHORTEST_SECRET);
  const clean = (text: string): string => {
    const without = known.reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text);
    const shaped = without.replaceAll(PRIVATE_KEY, REDACTED).replaceAll(KEY_SHAPES, REDACTED);
    const named = [NAMED_VALUE, HEADER].reduce((rest, each) => rest.replaceAll(each, `$1${REDACTED}`), shaped);
    return cutText(named.replaceAll(IN_ADDRESS, `$1${REDACTED}@`), longest);
  };
  return cleaned(value, clean) as Value;
}

/** Contract: `value` is JSON that is not nested too deeply (`json-limits.ts`). */
function cleaned(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === "string") return clean(value);
  if (Array.isArray(value)) return value.map((each) => cleaned(each, clean));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [clean(name), cleaned(each, clean)]));
}
