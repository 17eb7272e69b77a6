/** What is taken out of everything that is written to the disk: keys, and texts as long as files. */
import { cutText } from "../protocol/cut-text.ts";

/** Shapes in which keys are given out: Anthropic and OpenAI, GitHub, GitLab, AWS, Google, Slack, npm, JSON Web Tokens. */
const KEY_SHAPES =
  /\b(?:sk-[\w-]{16,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|A(?:KIA|SIA)[A-Z0-9]{16}|AIza[\w-]{30,}|xox[abprs]-[\w-]{10,}|npm_\w{20,}|eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{5,})/g;
const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g;
const SHORTEST_SECRET = 6;
/** Texts are cut there unless somebody says otherwise. */
const LONGEST_TEXT = 8_000;
export const REDACTED = "[redacted]";

/** A copy of a JSON value without the `secrets` and without what looks like a key; long texts in it are cut. */
export function redacted<Value>(value: Value, secrets: readonly string[], longest: number = LONGEST_TEXT): Value {
  const known = secrets.filter((secret) => secret.length >= SHORTEST_SECRET);
  const clean = (text: string): string => {
    const without = known.reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text);
    return cutText(without.replaceAll(PRIVATE_KEY, REDACTED).replaceAll(KEY_SHAPES, REDACTED), longest);
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
