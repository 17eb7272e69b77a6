/**
 * Runs the image in another place than the server's own machine or namespace: a container, a sandbox, a host behind
 * ssh. The person names the command that runs a program there. The project and Agent-Q's own files must have the same
 * paths there.
 */
import { basename } from "node:path";
import { shellWord } from "../../../process/shell-word.ts";

/** The words before the program and its arguments: `["docker", "exec", "-i", "dev"]`. */
export type Prefix = readonly [string, ...string[]];

/**
 * Frames travel over standard input and output, because every such command passes these on. The image's own standard
 * output goes to standard error. The environment of the image is emptied first, whatever the place has set.
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

/** ssh joins its arguments to one line for a shell, so they are quoted; other commands pass them on unchanged. */
function joined([first, ...more]: Prefix, args: readonly string[]): [string, ...string[]] {
  const isShell = /^(ssh|autossh|mosh)(\.exe)?$/.test(basename(first));
  return [first, ...more, ...(isShell ? args.map(shellWord) : args)];
}
