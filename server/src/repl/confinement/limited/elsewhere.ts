/**
 * The image in another place than the server's own machine or namespace: a container, a sandbox, a host behind ssh. The
 * person names the command that runs a program there; the project and Agent-Q's own files lie there under the same paths.
 */
import { basename } from "node:path";

/** `["docker", "exec", "-i", "dev"]`: what comes before the program and its arguments. */
export type Prefix = readonly [string, ...string[]];

/**
 * The frames travel over standard input and output, the one road that every such command has; what the image itself
 * writes there goes to standard error. Its environment begins empty, whatever the place has in its own.
 */
const SCRIPT = `t=$1; shift; mkdir -m 700 -p "$t" || exit 1
env -i PATH="$PATH" HOME="$HOME" LANG="$LANG" TZ="$TZ" TMPDIR="$t" TMP="$t" TEMP="$t" NO_COLOR=1 "$@" 3>&1 1>&2
code=$?; rm -rf "$t"; exit $code`;

export function imageElsewhere(prefix: Prefix, scratch: string, program: readonly string[]): [string, ...string[]] {
  return joined(prefix, ["sh", "-c", SCRIPT, "sh", scratch, ...program]);
}

export function versionElsewhere(prefix: Prefix, node: string): [string, ...string[]] {
  return joined(prefix, [node, "--version"]);
}

/** ssh makes one line of its arguments and gives it to a shell; the others hand them on as they are. */
function joined([first, ...more]: Prefix, args: readonly string[]): [string, ...string[]] {
  const isShell = /^(ssh|autossh|mosh)(\.exe)?$/.test(basename(first));
  return [first, ...more, ...(isShell ? args.map(quoted) : args)];
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
